import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { devices, FakeTrack } from './bed/fake-browser.ts'
import { closeBeds, media, placed, signedIn } from './bed/live-call.ts'
import { settle } from './bed/sdk-phone-bed.ts'

/** The next microphone comes when this is called, as after a prompt. */
function prompt(): () => void {
  let allow = () => {}
  devices.wait = new Promise<void>(resolve => {
    allow = resolve
  })
  return allow
}

const liveIds = () => FakeTrack.live.map(({ deviceId }) => deviceId)

for (const { name, change } of [
  { name: 'another microphone is chosen', change: () => {} },
  { name: 'the microphone is unplugged', change: () => devices.tracks[0]?.onended?.() },
])
  test(`${name}, and the remote hangs up before the new one is open: no microphone stays on`, async () => {
    const { bed, call } = await placed()
    const allow = prompt()
    const chosen = name.startsWith('another') ? bed.phone.setInputDevice('headset') : Promise.resolve()
    change()
    await settle()
    bed.inPlaced('BYE', 3)
    assert.is(call.state, 'ended')
    assert.equal(liveIds(), [])
    allow()
    await chosen
    await settle()
    assert.equal(liveIds(), [])
  })

test('the new microphone is refused after the call has ended: the old one is off', async () => {
  const { bed } = await placed()
  const allow = prompt()
  const chosen = bed.phone.setInputDevice('headset').catch(fault => fault.code)
  await settle()
  bed.inPlaced('BYE', 3)
  devices.fault = new DOMException('no', 'NotAllowedError')
  allow()
  assert.is(await chosen, 'microphone')
  assert.equal(liveIds(), [])
})

test('hung up while the new microphone takes the place of the old one: both are off', async () => {
  const { bed, call } = await placed()
  const chosen = bed.phone.setInputDevice('headset')
  await chosen
  call.hangup()
  await settle()
  assert.equal(liveIds(), [])
})

test('two changes, one at the heels of the other: the last choice is sent, and nothing else is open', async () => {
  const { bed, call } = await placed()
  await Promise.all([bed.phone.setInputDevice('headset'), bed.phone.setInputDevice('desk')])
  await settle()
  assert.is(media().sender?.track.deviceId, 'desk')
  assert.equal(liveIds(), ['desk', 'desk'], 'the source, and the track of the call')
  call.hangup()
  assert.equal(liveIds(), [])
})

test('chosen while the first one is being opened: the call has the choice', async () => {
  const bed = await signedIn()
  const allow = prompt()
  const call = bed.phone.call('1002')
  await settle()
  const chosen = bed.phone.setInputDevice('headset')
  allow()
  await chosen
  await settle()
  assert.is(media().sender?.track.deviceId, 'headset')
  call.hangup()
  assert.equal(liveIds(), [])
})

test.after(closeBeds)

test.run()
