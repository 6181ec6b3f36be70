import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { devices, FakePeerConnection } from './bed/fake-browser.ts'
import { closeBeds, listen, media, namesOf, placed, signedIn, taken } from './bed/live-call.ts'
import { settle } from './bed/sdk-phone-bed.ts'

test('outbound: trying, ringing, accepted, ended by us', async () => {
  const bed = await signedIn()
  const call = bed.phone.call('1002')
  const reported = listen(call)
  assert.is(call.state, 'trying')
  assert.is(call.direction, 'outbound')
  assert.is(call.remoteIdentity, '1002')
  await settle()
  bed.reply('INVITE', 180, 'Ringing')
  assert.is(call.state, 'ringing')
  bed.reply('INVITE', 200, 'OK', { sdp: 'answer' })
  await settle()
  assert.is(call.state, 'accepted')
  assert.equal(media().log, ['local offer', 'remote answer'])
  call.hangup()
  assert.equal(namesOf(reported), ['ringing', 'accepted', 'ended'])
  assert.equal(reported.at(-1)?.[1], { cause: 'Hung up', by: 'local' })
  assert.is(bed.request('BYE').method, 'BYE')
  assert.is(media().connectionState, 'closed')
  assert.is(devices.tracks[0]?.readyState, 'ended', 'the microphone is let go')
  call.hangup()
  assert.is(reported.length, 3)
})

test('the remote hangs up: ended; it refuses: failed with status and cause', async () => {
  const { bed, call, reported } = await placed()
  bed.inPlaced('BYE', 5)
  assert.equal(reported.at(-1), ['ended', { cause: 'Hung up', by: 'remote' }])
  assert.is(call.endReason?.by, 'remote')
  const other = bed.phone.call('1003')
  const received = listen(other)
  await settle()
  bed.reply('INVITE', 486, 'Busy Here', { headers: { 'X-Voice-Reason-Code': 'END.0486' } })
  assert.equal(received, [['failed', { cause: '486 Busy Here', by: 'remote', status: 486, code: 'END.0486' }]])
})

test('hung up while it rings: CANCEL, ended', async () => {
  const bed = await signedIn()
  const call = bed.phone.call('1002')
  const reported = listen(call)
  await settle()
  bed.reply('INVITE', 180, 'Ringing')
  call.hangup()
  assert.equal(reported.at(-1), ['ended', { cause: 'Cancelled', by: 'local' }])
  assert.is(bed.request('CANCEL').method, 'CANCEL')
})

test('hung up before anything was dialled: nothing is', async () => {
  const bed = await signedIn()
  const call = bed.phone.call('1002')
  const reported = listen(call)
  call.hangup()
  await settle()
  assert.not(bed.lines.some(line => line.startsWith('INVITE')))
  assert.equal(namesOf(reported), ['ended'])
  assert.ok(devices.tracks.every(track => track.readyState === 'ended'))
})

for (const [name, cause] of [
  ['NotAllowedError', 'Microphone refused'],
  ['NotFoundError', 'Microphone missing'],
  ['NotReadableError', 'Microphone failed'],
] as const) {
  test(`${name}: the call fails with "${cause}"`, async () => {
    const bed = await signedIn()
    devices.fault = new DOMException('no', name)
    const call = bed.phone.call('1002')
    const reported = listen(call)
    await settle()
    assert.is(reported[0]?.[0], 'failed')
    assert.is(call.endReason?.cause, cause)
    assert.equal(bed.phone.calls, [])
  })
}

test('early audio is played before the answer, and replaces our ringback', async () => {
  const bed = await signedIn()
  const call = bed.phone.call('1002')
  const reported = listen(call)
  await settle()
  bed.reply('INVITE', 183, 'Session Progress', { sdp: 'early' })
  await settle()
  assert.ok(call.hasEarlyAudio)
  assert.equal(media().log, ['local offer', 'remote pranswer'])
  bed.reply('INVITE', 200, 'OK', { sdp: 'answer' })
  await settle()
  assert.equal(media().log, ['local offer', 'remote pranswer', 'remote answer'])
  assert.equal(namesOf(reported), ['ringing', 'accepted'])
})

test('inbound: answered', async () => {
  const { bed, call, reported } = await taken()
  assert.equal(
    [call.direction, call.remoteIdentity, call.remoteName, call.state],
    ['inbound', '1002', 'Juma', 'ringing'],
  )
  assert.ok(bed.lines.includes('SIP/2.0 180'))
  await call.answer()
  assert.ok(bed.lines.includes('SIP/2.0 200'))
  assert.equal(media().log, ['remote offer', 'local answer'])
  assert.is(call.state, 'accepted')
  bed.inTaken('ACK', 1)
  bed.inTaken('BYE', 2)
  assert.equal(namesOf(reported), ['accepted', 'ended'])
})

test('inbound: rejected with 486', async () => {
  const { bed, call, reported } = await taken()
  call.reject()
  assert.ok(bed.lines.includes('SIP/2.0 486'))
  assert.equal(reported, [['ended', { cause: 'Rejected', by: 'local' }]])
  assert.throws(() => call.reject(), /ended/)
})

test('inbound: an offer that the browser refuses fails the call and refuses it to the switch', async () => {
  const { bed, call, reported } = await taken()
  const original = FakePeerConnection.prototype.setRemoteDescription
  FakePeerConnection.prototype.setRemoteDescription = async () => {
    throw new Error('bad')
  }
  await call.answer().catch(() => {})
  FakePeerConnection.prototype.setRemoteDescription = original
  assert.equal(namesOf(reported), ['failed'])
  assert.ok(bed.lines.some(line => line.startsWith('SIP/2.0 48')))
})

test('several calls at once, each with a track of its own', async () => {
  const bed = await signedIn()
  const first = bed.phone.call('1')
  const second = bed.phone.call('2')
  await settle()
  assert.is(bed.phone.calls.length, 2)
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

test.after(closeBeds)

test.run()
