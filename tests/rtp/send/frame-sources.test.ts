import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { SendParts } from '../../../rtp/send/frame-parts.ts'
import { frameSources, isBridgePreempted, presentSource, silentFrom } from '../../../rtp/send/frame-sources.ts'

interface Situation {
  readonly digits: boolean
  readonly play: boolean
  readonly bridged: boolean
  readonly transcoded: boolean
  readonly flowing: boolean
  readonly talking: boolean
}

const partsIn = ({ digits, play, bridged, transcoded, flowing, talking }: Situation): SendParts =>
  ({
    state: { agreement: undefined, isTalking: talking, isBridged: bridged },
    digits: { busy: digits },
    plays: { isPlaying: play },
    transcoder: { hasAudio: transcoded },
    forwarder: { isFlowing: flowing, forwardedAt: 1000 },
    clock: { frames: { dueAt: 1020 } },
  }) as unknown as SendParts

const allSituations = Array.from({ length: 64 }, (_, bits): Situation => {
  const at = (bit: number) => (bits & (1 << bit)) !== 0
  return { digits: at(0), play: at(1), bridged: at(2), transcoded: at(3), flowing: at(4), talking: at(5) }
})

test('digits go before prompts, prompts before the other leg, the other leg before silence', () => {
  assert.equal(
    frameSources.map(({ name }) => name),
    ['dtmf', 'prompt', 'bridge', 'silence'],
  )
})

test('of every situation the first source that has a frame makes it', () => {
  for (const situation of allSituations) {
    const { digits, play, bridged, transcoded, flowing, talking } = situation
    const isEncoded = talking && bridged && transcoded
    const isForwarded = bridged && flowing
    const expected = digits
      ? 'dtmf'
      : play
        ? 'prompt'
        : isEncoded
          ? 'bridge'
          : talking && !isForwarded
            ? 'silence'
            : undefined
    assert.is(presentSource(partsIn(situation), 1030)?.name, expected, JSON.stringify(situation))
  }
})

test('the other leg is forwarded unless a source above it in the table has a frame', () => {
  for (const situation of allSituations)
    assert.is(isBridgePreempted(partsIn(situation)), situation.digits || situation.play, JSON.stringify(situation))
})

test('after half a second without a packet of the other leg silence is sent', () => {
  const parts = partsIn({
    digits: false,
    play: false,
    bridged: true,
    transcoded: false,
    flowing: true,
    talking: true,
  })
  assert.is(silentFrom(parts), 1520)
  assert.is(presentSource(parts, 1519), undefined)
  assert.is(presentSource(parts, 1520)?.name, 'silence')
})

test.run()
