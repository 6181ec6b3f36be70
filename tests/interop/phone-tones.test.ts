import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { phoneBed } from '../rig/beds/phone-bed.ts'
import { BrowserPhone, mint } from '../rig/peers/browser-phone.ts'
import { until } from '../rig/probes/wait.ts'

// The rows of the SDK's tables that the other tests in the browser leave out: tones and devices.
const rows = suite('phone in Chromium: tones and devices')
const bed = phoneBed(rows)

/**
 * Loud enough, and mostly these frequencies; `press` triggers a sound that comes only once, as often as it is
 * listened for.
 */
async function rings(what: string, frequencies: readonly number[], press?: () => Promise<unknown>): Promise<void> {
  let last: unknown
  await until(what, async () => {
    const [received] = await Promise.all([bed.phone.hearTones(500, frequencies), press?.()])
    last = received
    return received.loudness > 0.01 && received.shares.reduce((sum, share) => sum + share, 0) > 0.8
  }).catch(fault => {
    throw new Error(`${fault}: ${JSON.stringify(last)}`)
  })
}
const isQuiet = () => until('silence', async () => (await bed.phone.hearTones(400, [])).loudness < 0.001)

rows(
  'ringing tones: ringback until the answer, busy after 486, the bell for who calls, keys; setVolume is theirs too',
  async () => {
    bed.document('<Pause length="4"/><Say loop="0">One two three four.</Say>')
    await bed.signedIn()
    const call = await bed.phone.dial('1')
    await rings('ringback', [425])
    await bed.phone.state(call, 'accepted')
    await isQuiet()
    await rings('the key 5', [770, 1336], () => bed.phone.act(call, 'sendDigit', '5'))
    await bed.phone.act(call, 'hangup')
    bed.document('<Hangup reason="busy"/>')
    await bed.phone.state(await bed.phone.dial('1'), 'ended')
    await rings('busy', [425])

    const second = await BrowserPhone.launch(bed.on.baseUrl, 600)
    assert.is(await second.signIn(await mint(bed.account, bed.other)), 'registered')
    bed.document(`<Dial><Number>${bed.user.extension}</Number></Dial>`)
    const dialled = await second.dial(bed.user.extension)
    const came = await bed.phone.incoming()
    await rings('the bell', [660, 880])
    await bed.phone.evaluate('bed.phone.setVolume(0)')
    await isQuiet()
    await bed.phone.evaluate('bed.phone.setVolume(1)')
    await rings('the bell again', [660, 880])
    const taking = `(call => { call.answer(); return call.state })(bed.calls[${came}].call)`
    assert.is(await bed.phone.evaluate(taking), 'answering')
    await isQuiet()
    await second.state(dialled, 'accepted')
    await second.close()
  },
)

rows('tones: false makes none', async () => {
  bed.document('<Pause length="2"/><Hangup reason="busy"/>')
  const before = await bed.phone.evaluate<number>('bed.contexts.length')
  await bed.signedIn({ tones: false })
  const call = await bed.phone.dial('1')
  await bed.phone.state(call, 'ringing')
  await bed.phone.state(call, 'ended')
  assert.is(await bed.phone.evaluate('bed.contexts.length'), before)
})

rows(
  'listDevices, setOutputDevice: calls and tones move to another loudspeaker at once, and later ones follow',
  async () => {
    bed.document('<Pause length="1"/><Say loop="0">One two three four five six.</Say>')
    await bed.signedIn()
    const first = await bed.phone.dial('1')
    await bed.phone.state(first, 'accepted')
    const { inputs, outputs } =
      await bed.phone.evaluate<Record<'inputs' | 'outputs', { deviceId: string; label: string }[]>>(
        'bed.phone.listDevices()',
      )
    assert.ok(inputs.length > 0 && outputs.length > 1, JSON.stringify({ inputs, outputs }))
    assert.ok([...inputs, ...outputs].every(({ label }) => label !== ''))
    const chosen = outputs.findLast(({ deviceId }) => deviceId !== 'default')?.deviceId
    const sinks = '[bed.speakers.at(-1).sinkId, bed.contexts.at(-1).sinkId].join()'
    const at = (id = '') =>
      bed.phone.until(`the output ${id}`, async () => (await bed.phone.evaluate(sinks)) === `${id},${id}`)
    await at('')
    await bed.phone.evaluate(`bed.phone.setOutputDevice(${JSON.stringify(chosen)})`)
    await at(chosen)
    const refused = await bed.phone.evaluate('bed.phone.setOutputDevice("nowhere").catch(({ code }) => code)')
    assert.is(refused, 'device')
    await at(chosen)
    const second = await bed.phone.dial('1')
    await bed.phone.state(second, 'accepted')
    await at(chosen)
    await bed.phone.evaluate('bed.phone.setOutputDevice("")')
    await at('')
    const range = await bed.phone.evaluate(
      '[-0.1, 1.1, NaN].map(volume => { try { bed.phone.setVolume(volume) } catch ({ code }) { return code } })',
    )
    assert.equal(range, ['option.invalid', 'option.invalid', 'option.invalid'])
    await bed.phone.evaluate('bed.phone.setVolume(0.25)')
    assert.is(await bed.phone.evaluate('bed.speakers.at(-1).volume'), 0.25)
  },
)

rows(
  'devicesChanged when something is plugged in; a microphone that is pulled out is replaced in the call',
  async () => {
    bed.document('<Say loop="0">One two three four five six.</Say>')
    await bed.signedIn()
    const before = (await bed.phone.events()).filter(name => name === 'devicesChanged').length
    await bed.phone.evaluate('navigator.mediaDevices.dispatchEvent(new Event("devicechange"))')
    assert.is((await bed.phone.events()).filter(name => name === 'devicesChanged').length, before + 1)
    const call = await bed.phone.dial('1')
    await bed.phone.state(call, 'accepted')
    const taken = () => bed.phone.evaluate<number>('bed.sources.length')
    const sources = await taken()
    await bed.phone.evaluate('bed.sources.at(-1).dispatchEvent(new Event("ended"))')
    await bed.phone.until('another microphone', async () => (await taken()) > sources)
    assert.is((await bed.phone.call(call)).state, 'accepted')
  },
)

rows('nothing in the page went wrong unseen', async () => {
  assert.equal(bed.phone.complaints, [])
})

rows.run()
