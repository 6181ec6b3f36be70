import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { RecordRules } from '../../../rtp/contract/command.ts'
import { agreed } from '../bed/agreement.ts'
import { VirtualMedia } from '../bed/virtual-media.ts'
import { VirtualPeer } from '../bed/virtual-peer.ts'

// Remotes that send nothing while they are silent, or hold: the pause is in the recording when they speak again.

const loud = (n: number): Uint8Array =>
  Uint8Array.from({ length: 160 }, (_, i) => ((n * 17 + i * 3) % 60) | ((i & 1) << 7))
const perSecond = 8000

const recording = (changes: Partial<RecordRules> = {}) => {
  const media = new VirtualMedia()
  const peer = new VirtualPeer(media, 'a', 4000).open()
  const rules: RecordRules = { silenceMs: 0, maxLengthMs: 3_600_000, trimSilence: false, ...changes }
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000), talk: true })
  media.do({ type: 'record', session: 'a', recording: 'r', path: 'file', rules })
  const samples = () => media.recordings.get('file')?.samples ?? []
  /** The most that was written in one tick. */
  let most = 0
  const run = (ms: number, isTalking: boolean) =>
    media.run(ms, now => {
      const before = samples().length
      if (isTalking && now % 20 === 0) peer.say(loud(now / 20))
      media.engine.tick(now)
      most = Math.max(most, samples().length - before)
    })
  const stop = () => media.do({ type: 'stop-record', session: 'a', recording: 'r' })
  return { media, peer, run, stop, samples, most: () => most }
}

for (const seconds of [5, 30, 120]) {
  test(`a pause of ${seconds} s is silence of its length, and never too much for a disk at once`, () => {
    const { peer, run, stop, samples, most } = recording()
    run(500, true)
    run(seconds * 1000, false)
    peer.timestamp += seconds * perSecond
    run(500, true)
    run(300, false)
    stop()
    assert.is(samples().length, (seconds + 1) * perSecond)
    assert.ok(
      samples()
        .slice(4000, 4000 + seconds * perSecond)
        .every(sample => sample === 0),
    )
    assert.ok(
      samples()
        .slice(-4000)
        .some(sample => sample !== 0),
    )
    assert.ok(most() <= 22 * perSecond, `${most() / perSecond} s at once`)
  })

  test(`${seconds} s of nothing at the end are no part of a recording, whatever ends it`, () => {
    const stopped = recording()
    stopped.run(500, true)
    stopped.run(seconds * 1000, false)
    stopped.stop()
    assert.is(stopped.samples().length, 4000)
    assert.is(stopped.media.take('recorded')[0]?.durationMs, 500)

    const silent = recording({ silenceMs: seconds * 1000 })
    silent.run(500, true)
    silent.run(seconds * 1000 + 1000, false)
    const [ended] = silent.media.take('recorded')
    assert.equal([ended?.endedBy, ended?.durationMs], ['silence', 500])

    const full = recording({ maxLengthMs: seconds * 1000 })
    full.run(500, true)
    full.run(seconds * 1000 + 1500, false)
    const [cut] = full.media.take('recorded')
    assert.equal([cut?.endedBy, cut?.durationMs], ['max-length', 500])
  })
}

test('a remote that says nothing is waited for no longer than the recording may be', () => {
  for (const [sayMs, changes] of [
    [500, {}],
    [0, {}],
    [0, { trimSilence: true }],
  ] as const) {
    const { media, run } = recording({ maxLengthMs: 3000, ...changes })
    run(sayMs, true)
    run(2980 - sayMs, false)
    assert.is(media.take('recorded').length, 0)
    run(100, false)
    assert.equal(
      media.take('recorded').map(({ endedBy, durationMs }) => [endedBy, durationMs]),
      [['max-length', sayMs]],
    )
  }
})

type Resumption = (peer: VirtualPeer, silentMs: number) => void
const resumptions: readonly [string, Resumption][] = [
  [
    'of the same clock',
    (peer, silentMs) => {
      peer.timestamp += silentMs * 8
    },
  ],
  ['that is another source', peer => Object.assign(peer, { ssrc: 99, timestamp: 5_000_000, sequence: 7 })],
  [
    'that has set its clock again',
    peer => {
      peer.timestamp -= 50_000_000
    },
  ],
]

for (const [what, resume] of resumptions) {
  for (const sayMs of [0, 300]) {
    test(`a hold (inactive) of a remote ${what}, which says ${sayMs} ms into it: three seconds of silence`, () => {
      const { media, peer, run, stop, samples } = recording()
      const place = (): number => samples().lastIndexOf(0) + 1
      run(2000, true)
      media.do({ type: 'agree', session: 'a', agreement: agreed(4000, { send: false, receive: false }), talk: true })
      run(sayMs, true)
      run(3000 - sayMs, false)
      resume(peer, 3000 - sayMs)
      media.do({ type: 'agree', session: 'a', agreement: agreed(4000), talk: true })
      run(2000, true)
      run(300, false)
      stop()
      assert.ok(Math.abs(place() - 5 * perSecond) <= 40, `${place() / 8} ms`)
      assert.ok(Math.abs(samples().length - 7 * perSecond) <= 40, `${samples().length / 8} ms`)
    })
  }
}

test('a remote whose timestamps stood still in a long pause goes on where the clock is', () => {
  const { run, stop, samples } = recording()
  run(500, true)
  run(60_000, false)
  run(500, true)
  run(300, false)
  stop()
  assert.ok(Math.abs(samples().length - 61 * perSecond) <= 0.02 * perSecond, `${samples().length / perSecond} s`)
})

test.run()
