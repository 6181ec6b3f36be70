import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { closeBenches, listen, media, namesOf, placed, signedIn } from './rig/live-call.ts'
import { settle } from './rig/phone-bench.ts'
import { bodyOf } from './rig/switch-side.ts'

test('a dropped WebSocket: the call lives, and is shown to the switch on the new one by a re-INVITE', async () => {
  const { bench, call, told } = await placed()
  media().become('connected')
  bench.socket.drop()
  await new Promise(resolve => setTimeout(resolve, 600))
  bench.serve()
  await settle()
  assert.is(call.state, 'accepted')
  const reinvite = bodyOf(bench.request('INVITE'))
  assert.not.match(reinvite, /restart/, 'the audio never stopped')
  bench.reply('INVITE', 200, 'OK', { sdp: 'same' })
  await settle()
  assert.equal(namesOf(told), ['ringing', 'accepted'])
  call.hangup()
  assert.ok(bench.lines.some(line => line.startsWith('BYE')))
})

test('hold asked while the line is down is done when it is back', async () => {
  const { bench, call } = await placed()
  media().become('connected')
  bench.socket.drop()
  const held = call.hold()
  await new Promise(resolve => setTimeout(resolve, 600))
  bench.serve()
  await settle()
  assert.match(bodyOf(bench.request('INVITE')), /sendonly/)
  bench.reply('INVITE', 200, 'OK', { sdp: 'held' })
  await held
})

test('ICE fails: reconnecting, re-INVITE with a restart, reconnected', async () => {
  const { bench, told } = await placed()
  media().become('connected')
  media().become('failed')
  await settle()
  assert.match(bodyOf(bench.request('INVITE')), /restart/)
  bench.reply('INVITE', 200, 'OK', { sdp: 'restarted' })
  await settle()
  media().become('connected')
  assert.equal(namesOf(told).slice(2), ['reconnecting', 'reconnected'])
})

test('another network: a restart at once; a refused one ends the call', async () => {
  const { bench, call, told } = await placed()
  media().become('connected')
  globalThis.window.dispatchEvent(new Event('online'))
  await settle()
  assert.match(bodyOf(bench.request('INVITE')), /restart/)
  media().connectionState = 'failed'
  bench.reply('INVITE', 488, 'Not Acceptable Here')
  await settle()
  assert.is(call.state, 'ended')
  assert.equal(told.at(-1), ['ended', { cause: 'Media failed', by: 'network' }])
})

test('a line that drops while it rings and comes back: the call goes on', async () => {
  const bench = await signedIn()
  const call = bench.phone.call('1')
  const told = listen(call)
  await settle()
  bench.reply('INVITE', 180, 'Ringing')
  bench.socket.drop()
  await new Promise(resolve => setTimeout(resolve, 600))
  bench.serve()
  await settle()
  assert.match(bench.lines.at(-1) ?? '', /^INVITE /)
  bench.reply('INVITE', 200, 'OK', { sdp: 'answer', headers: { 'X-Voice-Call-Sid': 'CA0123456789ABCDEF' } })
  await settle()
  assert.equal(namesOf(told), ['ringing', 'accepted'])
  assert.is(call.sid, 'CA0123456789ABCDEF')
})

test('signed out with a live call: it goes on, and its end closes the line', async () => {
  const { bench, call } = await placed()
  await bench.phone.unregister()
  assert.is(call.state, 'accepted')
  assert.not(bench.socket.isClosed)
  bench.inPlaced('BYE', 3)
  assert.is(call.state, 'ended')
  assert.ok(bench.socket.isClosed)
})

test('signed out, then hung up: the BYE goes out before the line is closed', async () => {
  const { bench, call } = await placed()
  await bench.phone.unregister()
  call.hangup()
  assert.ok(bench.lines.some(line => line.startsWith('BYE')))
  assert.ok(bench.socket.isClosed)
})

test.after(closeBenches)

test.run()
