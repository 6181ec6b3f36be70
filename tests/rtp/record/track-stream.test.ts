import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pcmu, writeHeader } from '../../../rtp/index.ts'
import { LibOpus } from '../../../rtp/io/index.ts'
import { SourceClock } from '../../../rtp/record/source-clock.ts'
import { streamTracks } from '../../../rtp/record/stream-tracks.ts'
import { TrackLine } from '../../../rtp/record/track-line.ts'
import { TrackStream } from '../../../rtp/record/track-stream.ts'
import { seeded } from '../../rig/probes/seeded.ts'
import { speechLike } from '../bed/audio-measure.ts'

const codecs = streamTracks(type => (type === 0 ? 'PCMU' : undefined), new LibOpus())
const perMs = 8
const frameMs = 20

/** What comes out of G.711. */
function lawOf(pcm: Int16Array): { bytes: Uint8Array; through: Int16Array } {
  const bytes = new Uint8Array(pcm.length)
  pcmu.encodeInto(bytes, 0, pcm, 0, pcm.length)
  const through = new Int16Array(pcm.length)
  pcmu.decodeInto(through, 0, bytes, 0, bytes.length)
  return { bytes, through }
}

/**
 * Records a sound whose packets, of 20 ms if nothing else is said, come late by `lateMs` of their time; undefined: that one
 * is not sent. The remote's clock is set by `setMs`.
 */
function recorded(
  pcm: Int16Array,
  lateMs: (atMs: number) => number | undefined,
  setMs: (atMs: number) => number = () => 0,
  packetMs = frameMs,
): Int16Array {
  const { bytes } = lawOf(pcm)
  const line = new TrackLine(1)
  const track = new TrackStream(line, 'left', codecs)
  const received = new Int16Array(pcm.length + 4000)
  let taken = 0
  const take = (until: number) => {
    const into = received.subarray(taken)
    taken += line.takeInto(into, into.length, until)
  }
  const packet = new Uint8Array(12 + packetMs * perMs)
  let now = 0
  for (let n = 0; n * packetMs * perMs < bytes.length; n++) {
    const atMs = n * packetMs
    const late = lateMs(atMs)
    if (late === undefined) continue
    now = atMs + late
    const place = now * perMs
    const timestamp = (place - late * perMs + setMs(atMs) * perMs) >>> 0
    writeHeader(packet, { payloadType: 0, marker: false, sequence: n, timestamp, ssrc: 7 })
    packet.set(bytes.subarray(atMs * perMs, (atMs + packetMs) * perMs), 12)
    track.push(packet, packet.length, place, now)
    track.tick(now)
    take(place - 16_000)
  }
  track.finish(now)
  take(line.end)
  return received.subarray(0, taken)
}

const words = [speechLike(24_000, 8000, 5), speechLike(24_000, 8000, 6)].map(pcm => lawOf(pcm).through)
/** Three seconds of speech, two of silence, three of speech. */
const said = Int16Array.from([...words[0]!, ...new Int16Array(16_000), ...words[1]!])
const lies = (received: Int16Array, from: number, wanted: Int16Array) =>
  assert.is(
    wanted.findIndex((sample, at) => received[from + at] !== sample),
    -1,
    'another sample at that place',
  )

test('a remote whose first packets were slow: every word as it was said, brought to its place in the pause', () => {
  for (const lateMs of [6, 9, 12.5, 16]) {
    const received = recorded(said, atMs => (atMs < 400 ? lateMs : 0))
    lies(received, lateMs * perMs, words[0]!)
    lies(received, 40_000, words[1]!)
  }
})

test('a pause in which nothing is sent serves as well', () => {
  const received = recorded(said, atMs => (atMs < 400 ? 9 : atMs >= 3100 && atMs < 5000 ? undefined : 0))
  lies(received, 9 * perMs, words[0]!)
  const again = recorded(Int16Array.from([...said, ...said]), atMs =>
    atMs < 400 ? 9 : atMs % 8000 >= 3100 && atMs % 8000 < 5000 ? undefined : 0,
  )
  lies(again, 64_000, words[0]!)
  lies(again, 104_000, words[1]!)
})

const long = lawOf(speechLike(96_000, 8000, 7).map(sample => (sample >= 0 ? sample + 200 : sample - 200))).through

test('one who never pauses, and whose first packets were slow, is left where it is up to 16 ms, and followed beyond', () => {
  for (const lateMs of [5.5, 9, 15])
    lies(
      recorded(long, atMs => (atMs < 400 ? lateMs : 0)),
      lateMs * perMs,
      long,
    )
  const far = recorded(long, atMs => (atMs < 400 ? 18 : 0))
  lies(far, 144, long.subarray(0, 30_000))
  const end = long.subarray(-4000)
  const offset = far.length - long.length
  assert.ok(offset >= 0 && offset <= 24, `${offset} samples late`)
  lies(far, far.length - 4000, end)
})

test('first packets that waited are laid where those after them say: nothing of them is cut off', () => {
  // They come together, so late that they are due before all have arrived that show their places.
  for (const lateMs of [45, 60, 100, 160, 240, 300]) {
    for (const restMs of [0, 3, 9, 13]) {
      const received = recorded(long, atMs => Math.max(atMs < 250 ? restMs : 0, lateMs - atMs))
      const place = received.length - long.length
      lies(received, place, long)
      assert.ok(place >= 0 && place <= restMs * perMs, `${lateMs} ms late: ${place} samples from its place`)
    }
  }
})

const minute = Int16Array.from({ length: 60 * 8000 }, (_, i) => long[i % long.length]!)

test('a sender whose timer is coarse, and who sends one packet in sixteen or fewer a frame early, loses no sample', () => {
  for (const packetMs of [10, 20, 30, 40]) {
    // As sipp does: a packet every 20.25 ms, until a whole one is owed.
    for (const earlyIn of [16, 17, 50, 333]) {
      for (let first = 0; first < 17; first += 4) {
        const late = (atMs: number) => {
          const n = (atMs / packetMs + first) % earlyIn
          return n === 0 ? 4 : packetMs + Math.floor((n * 32) / earlyIn) / perMs
        }
        const received = recorded(minute, late, undefined, packetMs)
        const name = `one of ${packetMs} ms in ${earlyIn}, the ${first}th`
        const place = received.length - minute.length
        // Of the first fifth of a second two packets of 10 ms may be early: it stays there then.
        const least = packetMs === 10 ? 4 : packetMs
        assert.ok(place >= least * perMs && place <= (packetMs + 4) * perMs, `${name}: ${place} samples from its place`)
        lies(received, place, minute)
      }
    }
  }
})

test('packets that come up to twelve at once lie where the last of them say', () => {
  for (const together of [2, 5, 9, 10, 11, 12]) {
    for (const roughMs of [0, 1]) {
      const roundMs = together * frameMs
      const received = recorded(long, atMs => {
        const round = Math.floor(atMs / roundMs)
        return roundMs - frameMs - (atMs % roundMs) + (round % 3) * roughMs
      })
      const place = received.length - long.length
      assert.ok(place >= 0 && place <= 2 * roughMs * perMs, `${together} at once: ${place} samples from their place`)
      lies(received, place, long)
    }
  }
})

test('a network that becomes unquiet, and quiet again, is no other clock', () => {
  const random = seeded(7)
  // Normal, as queues are: one packet in twenty-five is no slower than before.
  const queued = () => 20 + 8 * (random() + random() + random() + random() - 2) * Math.sqrt(3)
  let arrivedMs = 0
  const minutes = Int16Array.from({ length: 3 * minute.length }, (_, i) => minute[i % minute.length]!)
  const received = recorded(minutes, atMs => {
    const late = atMs > 60_000 && atMs < 120_000 ? Math.max(0, Math.round(queued() * perMs) / perMs) : 0
    arrivedMs = Math.max(arrivedMs, atMs + late)
    return arrivedMs - atMs
  })
  assert.is(received.length - minutes.length, 0)
  lies(received, 0, minutes)
})

test('packets that are late all through some seconds are no other clock; a way that has become longer for good is', () => {
  lies(
    recorded(long, atMs => (atMs > 2000 && atMs < 11_500 ? 15 : 0)),
    0,
    long,
  )
  const received = recorded(minute, atMs => (atMs > 5000 ? 15 : 0))
  const offset = received.length - minute.length
  assert.ok(offset >= 12 * perMs && offset <= 15 * perMs, `${offset} samples late`)
  lies(received, received.length - 4000, minute.subarray(-4000))
})

test('who comes just after a tick for a minute, and just before it from then on, has no other clock', () => {
  const tickSamples = 40
  for (const slowAtFirst of [0, tickSamples]) {
    for (const before of [0, tickSamples]) {
      const clock = new SourceClock(8000)
      let first: number | undefined
      for (let n = 0; n < 50 * 600; n++) {
        const said = 160 * n
        const late = (n < 15 ? slowAtFirst : 0) + (n < 50 * 60 ? before : tickSamples - before)
        clock.packetArrived(said, said + late)
        if (n < 30) continue
        clock.settle()
        clock.follow(0)
        first ??= clock.placeOf(said) - said
        assert.is(clock.placeOf(said) - said, first, `${n / 50} s`)
      }
    }
  }
})

test('a clock that is set while somebody speaks moves nothing: numbers and packets go on', () => {
  const talk = lawOf(speechLike(48_000, 8000, 9)).through
  for (const ms of [-3000, -980, -500, -200, -60, 100, 300, 700, 980, 3000]) {
    const received = recorded(
      talk,
      () => 0,
      atMs => 10_000 + (atMs < 3000 ? 0 : ms),
    )
    lies(received, 0, talk)
    assert.is(received.length, talk.length, `set by ${ms} ms`)
  }
})

test('lost packets are concealed in their place, up to 120 ms; every received packet is exact', () => {
  const level = (pcm: Int16Array) => Math.sqrt(pcm.reduce((sum, sample) => sum + sample * sample, 0) / pcm.length)
  // A tone of a voice's pitch: what goes on in its place is as loud, and nearly the same.
  const tone = lawOf(
    Int16Array.from({ length: 24_000 }, (_, i) => 8000 * Math.sin((2 * Math.PI * 160 * i) / 8000)),
  ).through
  for (const frames of [1, 2, 3]) {
    const isLost = (atMs: number) => atMs >= 400 && atMs % 400 < frames * frameMs
    const received = recorded(tone, atMs => (isLost(atMs) ? undefined : 0))
    for (let atMs = 0; atMs < 2800; atMs += frameMs) {
      const from = atMs * perMs
      const [got, sent] = [received, tone].map(pcm => pcm.subarray(from, from + frameMs * perMs))
      if (!isLost(atMs)) assert.equal(got, sent, `${frames} lost: the packet at ${atMs} ms`)
      else if (atMs % 400 < frameMs) assert.ok(level(got!) > 0.7 * level(sent!), `silent at ${atMs} ms`)
    }
    // Nothing clicks where sound comes back: no step is larger than the tone's own, and some.
    const largest = (pcm: Int16Array) =>
      pcm.reduce((most, sample, i) => Math.max(most, Math.abs(sample - (pcm[i - 1] ?? sample))), 0)
    assert.ok(largest(received.subarray(0, 22_400)) < 1.6 * largest(tone), `a step of ${largest(received)}`)
  }
  const rest = recorded(tone, atMs => (atMs >= 800 && atMs < 1000 ? undefined : 0))
  assert.is(level(rest.subarray(800 * perMs, 1000 * perMs)), 0)
})

test.run()
