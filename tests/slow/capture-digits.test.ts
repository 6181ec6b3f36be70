// Digits of 26 ms: a sender that waits for its processor makes others of them, so that this file needs the machine to itself.

import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Captured, keyCapture } from '../fixtures/captures.ts'
import { VerbBed, type VerbCall } from '../rig/beds/verb-bed.ts'

const digits = '2013785496'

/** Sends what a phone sends, when it does; until the call has ended. */
const replay = async (call: VerbCall, datagrams: readonly Captured[]): Promise<void> => {
  const begun = performance.now() - (datagrams[0]?.atMs ?? 0)
  let hasEnded = false
  void call.sipp.done.then(() => {
    hasEnded = true
  })
  for (const { atMs, bytes } of datagrams) {
    const waitMs = begun + atMs - performance.now()
    if (waitMs > 1) await new Promise(resolve => setTimeout(resolve, waitMs))
    if (hasEnded) return
    call.rtp.send(bytes)
  }
}

const codecs = [
  { name: 'PCMU', payloadType: '0', codec: '0 PCMU/8000' },
  { name: 'opus', payloadType: '96', codec: '96 opus/48000/2' },
] as const
const manners = [
  { manner: 'by telephone-events', others: ' 101', more: 'rtpmap:101 telephone-event/8000' },
  { manner: 'by their sound alone', others: '', more: 'ptime:20' },
]

test('the captured digit packets of a phone, sent as calls: a Gather posts the digits', async () => {
  // Before any call: encoding them keeps this thread busy for a second.
  const captures = { PCMU: await keyCapture('PCMU', digits), opus: await keyCapture('opus', digits) }
  const bed = await VerbBed.open()
  try {
    const calls = codecs.flatMap(each => manners.map(manner => ({ ...each, ...manner })))
    await Promise.all(
      calls.map(async ({ name, payloadType, codec, manner, others, more }) => {
        const voice = `<Gather action="/digits" numDigits="${digits.length}" timeout="10"/>`
        const keys = { formats: `${payloadType}${others}`, codec, more }
        const call = await bed.call({ voice, '/digits': '<Hangup/>' }, { scenario: 'caller-codec', keys })
        await call.answered()
        await replay(call, captures[name])
        assert.is((await call.post('/digits')).body.Digits, digits, `${name} ${manner}`)
        await call.done()
      }),
    )
  } finally {
    await bed.close()
  }
})

test.run()
