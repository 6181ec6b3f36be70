import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { closeBeds, media, namesOf, placed, signedIn, taken } from './bed/live-call.ts'
import { settle } from './bed/sdk-phone-bed.ts'
import { bodyOf } from './bed/switch-side.ts'

test('hold and unhold by re-INVITE: direction, silence, events, getters', async () => {
  const { bed, call, reported } = await placed()
  const held = call.hold()
  await settle()
  assert.match(bodyOf(bed.request('INVITE')), /sendonly/)
  assert.not(call.isOnHold)
  bed.reply('INVITE', 200, 'OK', { sdp: 'held' })
  await held
  assert.ok(call.isOnHold)
  assert.is(media().sender?.track.enabled, false)
  await call.hold()
  const back = call.unhold()
  await settle()
  assert.match(bodyOf(bed.request('INVITE')), /sendrecv/)
  bed.reply('INVITE', 200, 'OK', { sdp: 'back' })
  await back
  assert.is(media().sender?.track.enabled, true)
  assert.equal(namesOf(reported).slice(2), ['hold', 'unhold'])
})

test('hold refused: the promise rejects, the call goes on as it was', async () => {
  const { bed, call, reported } = await placed()
  const held = call.hold().catch(fault => fault)
  await settle()
  bed.reply('INVITE', 488, 'Not Acceptable Here')
  const fault = await held
  assert.equal([fault.code, fault.status], ['call.hold-refused', 488])
  assert.not(call.isOnHold)
  assert.is(media().log.at(-1), 'local rollback')
  assert.equal(namesOf(reported), ['ringing', 'accepted'])
})

test('hold while their offer is open waits and comes through (RFC 3261 §14.1)', async () => {
  const { bed, call } = await taken()
  await call.answer()
  bed.inTaken('ACK', 1)
  const held = call.hold()
  await settle()
  bed.reply('INVITE', 491, 'Request Pending')
  const before = bed.lines.filter(line => line.startsWith('INVITE')).length
  await new Promise(resolve => setTimeout(resolve, 2_050))
  assert.is(bed.lines.filter(line => line.startsWith('INVITE')).length, before + 1)
  bed.reply('INVITE', 200, 'OK', { sdp: 'held' })
  await held
  assert.ok(call.isOnHold)
})

test('their re-INVITE is answered by the browser', async () => {
  const { bed, call } = await placed()
  bed.inPlaced('INVITE', 7, { sdp: 'their hold' })
  await settle()
  assert.equal(media().log.slice(-2), ['remote offer', 'local answer'])
  assert.match(bed.socket.sent.at(-1) ?? '', /^SIP\/2\.0 200 [\s\S]*local answer$/)
  assert.is(call.state, 'accepted')
})

test('mute and unmute: the track, events once, getters', async () => {
  const { call, reported } = await placed()
  call.mute()
  call.mute()
  assert.ok(call.isMuted)
  assert.is(media().sender?.track.enabled, false)
  call.unmute()
  assert.is(media().sender?.track.enabled, true)
  assert.equal(namesOf(reported).slice(2), ['muted', 'unmuted'])
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
  assert.throws(() => call.sendDigit('1'), /cannot send digits/)
})

test('methods in the wrong state throw or reject, and change nothing', async () => {
  const bed = await signedIn()
  const call = bed.phone.call('1')
  for (const work of [() => call.answer(), () => call.hold(), () => call.unhold()]) {
    const fault = await work().catch(error => error)
    assert.is(fault.code, 'call.state')
  }
  assert.throws(() => call.reject(), /cannot be rejected/)
})

test('quality is reported while the call lives', async () => {
  const bed = await signedIn()
  const call = bed.phone.call('1002')
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
  bed.reply('INVITE', 200, 'OK', { sdp: 'answer' })
  await new Promise(resolve => setTimeout(resolve, 2_100))
  const last = qualities.at(-1)
  assert.is(last?.codec, 'opus')
  assert.is(last?.roundTripMs, 80)
  assert.ok(Math.abs((last?.lossPercent ?? 0) - 4.76) < 0.1)
  assert.ok((last?.mos ?? 0) > 3 && (last?.mos ?? 0) < 4.2, String(last?.mos))
})

test.after(closeBeds)

test.run()
