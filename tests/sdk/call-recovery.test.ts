import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { closeBeds, listen, media, namesOf, placed, signedIn } from './bed/live-call.ts'
import { settle } from './bed/sdk-phone-bed.ts'
import { bodyOf } from './bed/switch-side.ts'

test('a dropped WebSocket: the call lives, and is shown to the switch on the new one by a re-INVITE', async () => {
  const { bed, call, reported } = await placed()
  media().become('connected')
  bed.socket.drop()
  await new Promise(resolve => setTimeout(resolve, 600))
  bed.serve()
  await settle()
  assert.is(call.state, 'accepted')
  const reinvite = bodyOf(bed.request('INVITE'))
  assert.not.match(reinvite, /restart/, 'the audio never stopped')
  bed.reply('INVITE', 200, 'OK', { sdp: 'same' })
  await settle()
  assert.equal(namesOf(reported), ['ringing', 'accepted'])
  call.hangup()
  assert.ok(bed.lines.some(line => line.startsWith('BYE')))
})

test('hold asked while the line is down is done when it is back', async () => {
  const { bed, call } = await placed()
  media().become('connected')
  bed.socket.drop()
  const held = call.hold()
  await new Promise(resolve => setTimeout(resolve, 600))
  bed.serve()
  await settle()
  assert.match(bodyOf(bed.request('INVITE')), /sendonly/)
  bed.reply('INVITE', 200, 'OK', { sdp: 'held' })
  await held
})

test('ICE fails: reconnecting, re-INVITE with a restart, reconnected', async () => {
  const { bed, reported } = await placed()
  media().become('connected')
  media().become('failed')
  await settle()
  assert.match(bodyOf(bed.request('INVITE')), /restart/)
  bed.reply('INVITE', 200, 'OK', { sdp: 'restarted' })
  await settle()
  media().become('connected')
  assert.equal(namesOf(reported).slice(2), ['reconnecting', 'reconnected'])
})

test('another network: a restart at once; a refused one ends the call', async () => {
  const { bed, call, reported } = await placed()
  media().become('connected')
  globalThis.window.dispatchEvent(new Event('online'))
  await settle()
  assert.match(bodyOf(bed.request('INVITE')), /restart/)
  media().connectionState = 'failed'
  bed.reply('INVITE', 488, 'Not Acceptable Here')
  await settle()
  assert.is(call.state, 'ended')
  assert.equal(reported.at(-1), ['ended', { cause: 'Media failed', by: 'network' }])
})

test('a line that drops while it rings and comes back: the call goes on', async () => {
  const bed = await signedIn()
  const call = bed.phone.call('1')
  const reported = listen(call)
  await settle()
  bed.reply('INVITE', 180, 'Ringing')
  bed.socket.drop()
  await new Promise(resolve => setTimeout(resolve, 600))
  bed.serve()
  await settle()
  assert.match(bed.lines.at(-1) ?? '', /^INVITE /)
  bed.reply('INVITE', 200, 'OK', { sdp: 'answer', headers: { 'X-Voice-Call-Sid': 'CA0123456789ABCDEF' } })
  await settle()
  assert.equal(namesOf(reported), ['ringing', 'accepted'])
  assert.is(call.sid, 'CA0123456789ABCDEF')
})

test('signed out with a live call: it goes on, and its end closes the line', async () => {
  const { bed, call } = await placed()
  await bed.phone.unregister()
  assert.is(call.state, 'accepted')
  assert.not(bed.socket.isClosed)
  bed.inPlaced('BYE', 3)
  assert.is(call.state, 'ended')
  assert.ok(bed.socket.isClosed)
})

test('signed out, then hung up: the BYE goes out before the line is closed', async () => {
  const { bed, call } = await placed()
  await bed.phone.unregister()
  call.hangup()
  assert.ok(bed.lines.some(line => line.startsWith('BYE')))
  assert.ok(bed.socket.isClosed)
})

test.after(closeBeds)

test.run()
