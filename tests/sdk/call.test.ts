import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Call } from '../../sdk/index.ts'
import { devices, FakePeerConnection } from './rig/fake-browser.ts'
import { PhoneBench, settle } from './rig/phone-bench.ts'
import { bodyOf } from './rig/switch-side.ts'

const benches: PhoneBench[] = []
const signedIn = async () => {
  const bench = await PhoneBench.signedIn()
  benches.push(bench)
  return bench
}

const names = ['ringing', 'accepted', 'ended', 'failed', 'hold', 'unhold', 'muted', 'unmuted'] as const

function listen(call: Call): [string, unknown][] {
  const told: [string, unknown][] = []
  for (const name of [...names, 'reconnecting', 'reconnected'] as const)
    call.on(name, value => told.push([name, value]))
  return told
}

const namesOf = (told: [string, unknown][]) => told.map(([name]) => name)
const media = () => {
  const found = FakePeerConnection.all.at(-1)
  if (found === undefined) throw new Error('no RTCPeerConnection was made')
  return found
}

async function placed() {
  const bench = await signedIn()
  const call = bench.phone.call('1002')
  const told = listen(call)
  await settle()
  bench.reply('INVITE', 180, 'Ringing')
  bench.reply('INVITE', 200, 'OK', { sdp: 'answer' })
  await settle()
  return { bench, call, told }
}

async function taken() {
  const bench = await signedIn()
  let call: Call | undefined
  bench.phone.once('incoming', incoming => {
    call = incoming
  })
  bench.incoming()
  if (call === undefined) throw new Error('no call came')
  return { bench, call, told: listen(call) }
}

test('outbound: trying, ringing, accepted, ended by us', async () => {
  const bench = await signedIn()
  const call = bench.phone.call('1002')
  const told = listen(call)
  assert.is(call.state, 'trying')
  assert.is(call.direction, 'outbound')
  assert.is(call.remoteIdentity, '1002')
  await settle()
  bench.reply('INVITE', 180, 'Ringing')
  assert.is(call.state, 'ringing')
  bench.reply('INVITE', 200, 'OK', { sdp: 'answer' })
  await settle()
  assert.is(call.state, 'accepted')
  assert.equal(media().log, ['local offer', 'remote answer'])
  call.hangup()
  assert.equal(namesOf(told), ['ringing', 'accepted', 'ended'])
  assert.equal(told.at(-1)?.[1], { cause: 'Hung up', by: 'local' })
  assert.is(bench.request('BYE').method, 'BYE')
  assert.is(media().connectionState, 'closed')
  assert.is(devices.tracks[0]?.readyState, 'ended', 'the microphone is let go')
  call.hangup()
  assert.is(told.length, 3)
})

test('the far side hangs up: ended; it refuses: failed with status and cause', async () => {
  const { bench, call, told } = await placed()
  bench.inPlaced('BYE', 5)
  assert.equal(told.at(-1), ['ended', { cause: 'Hung up', by: 'remote' }])
  assert.is(call.endReason?.by, 'remote')
  const other = bench.phone.call('1003')
  const heard = listen(other)
  await settle()
  bench.reply('INVITE', 486, 'Busy Here', { headers: { 'X-Voice-Reason-Code': 'END.0486' } })
  assert.equal(heard, [['failed', { cause: '486 Busy Here', by: 'remote', status: 486, code: 'END.0486' }]])
})

test('hung up while it rings: CANCEL, ended', async () => {
  const bench = await signedIn()
  const call = bench.phone.call('1002')
  const told = listen(call)
  await settle()
  bench.reply('INVITE', 180, 'Ringing')
  call.hangup()
  assert.equal(told.at(-1), ['ended', { cause: 'Cancelled', by: 'local' }])
  assert.is(bench.request('CANCEL').method, 'CANCEL')
})

test('hung up before anything was dialled: nothing is', async () => {
  const bench = await signedIn()
  const call = bench.phone.call('1002')
  const told = listen(call)
  call.hangup()
  await settle()
  assert.not(bench.lines.some(line => line.startsWith('INVITE')))
  assert.equal(namesOf(told), ['ended'])
  assert.ok(devices.tracks.every(track => track.readyState === 'ended'))
})

for (const [name, cause] of [
  ['NotAllowedError', 'Microphone refused'],
  ['NotFoundError', 'Microphone missing'],
  ['NotReadableError', 'Microphone failed'],
] as const) {
  test(`${name}: the call fails with "${cause}"`, async () => {
    const bench = await signedIn()
    devices.fault = new DOMException('no', name)
    const call = bench.phone.call('1002')
    const told = listen(call)
    await settle()
    assert.is(told[0]?.[0], 'failed')
    assert.is(call.endReason?.cause, cause)
    assert.equal(bench.phone.calls, [])
  })
}

test('early audio is heard before the answer, and replaces our ringback', async () => {
  const bench = await signedIn()
  const call = bench.phone.call('1002')
  const told = listen(call)
  await settle()
  bench.reply('INVITE', 183, 'Session Progress', { sdp: 'early' })
  await settle()
  assert.ok(call.hasEarlyAudio)
  assert.equal(media().log, ['local offer', 'remote pranswer'])
  bench.reply('INVITE', 200, 'OK', { sdp: 'answer' })
  await settle()
  assert.equal(media().log, ['local offer', 'remote pranswer', 'remote answer'])
  assert.equal(namesOf(told), ['ringing', 'accepted'])
})

test('inbound: answered', async () => {
  const { bench, call, told } = await taken()
  assert.equal(
    [call.direction, call.remoteIdentity, call.remoteName, call.state],
    ['inbound', '1002', 'Juma', 'ringing'],
  )
  assert.ok(bench.lines.includes('SIP/2.0 180'))
  await call.answer()
  assert.ok(bench.lines.includes('SIP/2.0 200'))
  assert.equal(media().log, ['remote offer', 'local answer'])
  assert.is(call.state, 'accepted')
  bench.inTaken('ACK', 1)
  bench.inTaken('BYE', 2)
  assert.equal(namesOf(told), ['accepted', 'ended'])
})

test('inbound: rejected with 486', async () => {
  const { bench, call, told } = await taken()
  call.reject()
  assert.ok(bench.lines.includes('SIP/2.0 486'))
  assert.equal(told, [['ended', { cause: 'Rejected', by: 'local' }]])
  assert.throws(() => call.reject(), /ended/)
})

test('inbound: an offer that the browser refuses fails the call and tells the switch', async () => {
  const { bench, call, told } = await taken()
  const original = FakePeerConnection.prototype.setRemoteDescription
  FakePeerConnection.prototype.setRemoteDescription = async () => {
    throw new Error('bad')
  }
  await call.answer().catch(() => {})
  FakePeerConnection.prototype.setRemoteDescription = original
  assert.equal(namesOf(told), ['failed'])
  assert.ok(bench.lines.some(line => line.startsWith('SIP/2.0 48')))
})

test('several calls at once, each with a track of its own', async () => {
  const bench = await signedIn()
  const first = bench.phone.call('1')
  const second = bench.phone.call('2')
  await settle()
  assert.is(bench.phone.calls.length, 2)
  first.mute()
  assert.equal(
    FakePeerConnection.all.map(connection => connection.sender?.track.enabled),
    [false, true],
  )
  assert.is(devices.asked.length, 1, 'one microphone serves both')
  second.hangup()
  assert.is(devices.tracks[0]?.readyState, 'live')
  first.hangup()
  assert.is(devices.tracks[0]?.readyState, 'ended')
})

test('hold and unhold by re-INVITE: direction, silence, events, getters', async () => {
  const { bench, call, told } = await placed()
  const held = call.hold()
  await settle()
  assert.match(bodyOf(bench.request('INVITE')), /sendonly/)
  assert.not(call.isOnHold)
  bench.reply('INVITE', 200, 'OK', { sdp: 'held' })
  await held
  assert.ok(call.isOnHold)
  assert.is(media().sender?.track.enabled, false)
  await call.hold()
  const back = call.unhold()
  await settle()
  assert.match(bodyOf(bench.request('INVITE')), /sendrecv/)
  bench.reply('INVITE', 200, 'OK', { sdp: 'back' })
  await back
  assert.is(media().sender?.track.enabled, true)
  assert.equal(namesOf(told).slice(2), ['hold', 'unhold'])
})

test('hold refused: the promise rejects, the call goes on as it was', async () => {
  const { bench, call, told } = await placed()
  const held = call.hold().catch(fault => fault)
  await settle()
  bench.reply('INVITE', 488, 'Not Acceptable Here')
  const fault = await held
  assert.equal([fault.code, fault.status], ['call.hold-refused', 488])
  assert.not(call.isOnHold)
  assert.is(media().log.at(-1), 'local rollback')
  assert.equal(namesOf(told), ['ringing', 'accepted'])
})

test('hold while their offer is open waits and comes through (RFC 3261 §14.1)', async () => {
  const { bench, call } = await taken()
  await call.answer()
  bench.inTaken('ACK', 1)
  const held = call.hold()
  await settle()
  bench.reply('INVITE', 491, 'Request Pending')
  const before = bench.lines.filter(line => line.startsWith('INVITE')).length
  await new Promise(resolve => setTimeout(resolve, 2_050))
  assert.is(bench.lines.filter(line => line.startsWith('INVITE')).length, before + 1)
  bench.reply('INVITE', 200, 'OK', { sdp: 'held' })
  await held
  assert.ok(call.isOnHold)
})

test('their re-INVITE is answered by the browser', async () => {
  const { bench, call } = await placed()
  bench.inPlaced('INVITE', 7, { sdp: 'their hold' })
  await settle()
  assert.equal(media().log.slice(-2), ['remote offer', 'local answer'])
  assert.match(bench.socket.sent.at(-1) ?? '', /^SIP\/2\.0 200 [\s\S]*local answer$/)
  assert.is(call.state, 'accepted')
})

test('mute and unmute: the track, events once, getters', async () => {
  const { call, told } = await placed()
  call.mute()
  call.mute()
  assert.ok(call.isMuted)
  assert.is(media().sender?.track.enabled, false)
  call.unmute()
  assert.is(media().sender?.track.enabled, true)
  assert.equal(namesOf(told).slice(2), ['muted', 'unmuted'])
})

test('digits: RFC 4733 through the sender, queued; nonsense throws', async () => {
  const { call } = await placed()
  call.sendDigit('1')
  call.sendDigit('2#')
  call.sendDigit(3)
  const inserted = media().sender?.dtmf.inserted.map(([tones]) => tones)
  assert.equal(inserted, ['1', '12#', '12#3'])
  for (const bad of ['', 'x', '1 2', '1'.repeat(65)]) assert.throws(() => call.sendDigit(bad), /no digit/)
  call.hangup()
  assert.throws(() => call.sendDigit('1'), /cannot be sent/)
})

test('methods in the wrong state throw or reject, and change nothing', async () => {
  const bench = await signedIn()
  const call = bench.phone.call('1')
  for (const work of [() => call.answer(), () => call.hold(), () => call.unhold()]) {
    const fault = await work().catch(error => error)
    assert.is(fault.code, 'call.state')
  }
  assert.throws(() => call.reject(), /cannot be rejected/)
})

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

test('a line that drops while it rings fails the call', async () => {
  const bench = await signedIn()
  const call = bench.phone.call('1')
  const told = listen(call)
  await settle()
  bench.socket.drop()
  assert.equal(told, [['failed', { cause: 'Connection lost', by: 'network' }]])
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

test('quality is told while the call lives', async () => {
  const bench = await signedIn()
  const call = bench.phone.call('1002')
  await settle()
  let packets = 0
  media().getStats = async () => {
    packets += 100
    return new Map<string, unknown>([
      ['c', { type: 'codec', mimeType: 'audio/opus' }],
      [
        'i',
        {
          type: 'inbound-rtp',
          kind: 'audio',
          packetsReceived: packets,
          packetsLost: packets / 20,
          jitter: 0.004,
          codecId: 'c',
        },
      ],
      ['p', { type: 'candidate-pair', nominated: true, state: 'succeeded', currentRoundTripTime: 0.08 }],
    ])
  }
  const qualities: { mos: number; lossPercent: number; jitterMs: number; roundTripMs?: number; codec?: string }[] = []
  call.on('quality', quality => qualities.push(quality))
  bench.reply('INVITE', 200, 'OK', { sdp: 'answer' })
  await new Promise(resolve => setTimeout(resolve, 2_100))
  const last = qualities.at(-1)
  assert.is(last?.codec, 'opus')
  assert.is(last?.roundTripMs, 80)
  assert.ok(Math.abs((last?.lossPercent ?? 0) - 4.76) < 0.1)
  assert.ok((last?.mos ?? 0) > 3 && (last?.mos ?? 0) < 4.2, String(last?.mos))
})

test.after(() => {
  for (const bench of benches) bench.close()
})

test.run()
