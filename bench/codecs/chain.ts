import { type AudioCodecName, codecFacts } from '../../rtp/codec/codec-name.ts'
import { StreamDecoder } from '../../rtp/codec/stream-decoder.ts'
import { StreamEncoder } from '../../rtp/codec/stream-encoder.ts'
import { resample } from '../../rtp/index.ts'
import { agreed } from '../../tests/rtp/bed/agreement.ts'
import { delayOf, segmentalSnrDb, speechLike } from '../../tests/rtp/bed/audio-measure.ts'
import { payloadTypes, Talker, talks } from '../../tests/rtp/bed/talker.ts'
import { VirtualMedia } from '../../tests/rtp/bed/virtual-media.ts'
import { VirtualPeer } from '../../tests/rtp/bed/virtual-peer.ts'
import { WarmOpus } from '../../tests/rtp/bed/warm-opus.ts'

/** What a listener at the end of a chain of codecs gets of what was said at its beginning. */
export interface Heard {
  readonly segmentalSnrDb: number
  readonly delayMs: number
  /** The share of the sound that is alike, 1 = all. */
  readonly likeness: number
}

export interface ChainResult {
  readonly codecs: readonly AudioCodecName[]
  /** Through calls: each step from one codec to the next is a bridge of two legs. */
  readonly switched: Heard
  /** Through the bare coders, one after the other, without packets. */
  readonly bare: Heard
  /** Of the engine for a frame in one step, without sockets; and of the bare coders. */
  readonly microsPerFrame: number
  readonly bareMicrosPerFrame: number
}

const narrow = 8000
const fine = 48_000
const frameMs = 20
/** The longest delay that is looked for, ms. */
const mostDelayMs = 130
/** Coders and buffers settle before it is listened to, ms. */
const settlingMs = 500

const compare = (said: Int16Array, received: Int16Array): Heard => {
  const from = (settlingMs * narrow) / 1000
  const most = (mostDelayMs * narrow) / 1000
  const { delay: near } = delayOf(
    said,
    received,
    most,
    from,
    Math.min(0.7 * narrow, said.length, received.length - from - most),
  )
  // Filters delay by parts of a sample: that is no distortion, and is looked for at a higher rate.
  const fineSaid = resample(said.subarray(from), narrow, fine)
  const first = Math.max(0, from + near - 2)
  const fineReceived = resample(received.subarray(first), narrow, fine)
  const { delay, likeness } = delayOf(
    fineSaid,
    fineReceived,
    (4 * fine) / narrow,
    0,
    Math.min(fineSaid.length, 0.7 * fine),
  )
  const snr = segmentalSnrDb(fineSaid, fineReceived, delay, fine)
  return { segmentalSnrDb: snr, delayMs: ((first - from) * 1000) / narrow + (delay * 1000) / fine, likeness }
}

/** A chain of at least two codecs. */
export async function measureChain(
  codecs: readonly AudioCodecName[],
  seconds: number,
  seed = 21,
): Promise<ChainResult> {
  const opus = await WarmOpus.open(2 * codecs.length + 2)
  try {
    const [first = 'PCMU'] = codecs
    const rate = codecFacts[first].sampleRate
    const said = speechLike(rate * seconds, rate, seed)
    const wanted = resample(said, rate, narrow)
    const { received, sentAfterMs, microsPerFrame } = throughCalls(codecs, said, opus)
    const bare = throughCoders(codecs, said, opus)
    const measured = compare(wanted, received)
    return {
      codecs,
      switched: { ...measured, delayMs: measured.delayMs + sentAfterMs },
      bare: compare(wanted, bare.received),
      microsPerFrame,
      bareMicrosPerFrame: bare.microsPerFrame,
    }
  } finally {
    opus.close()
  }
}

function throughCalls(codecs: readonly AudioCodecName[], said: Int16Array, opus: WarmOpus) {
  const media = new VirtualMedia({}, 7, opus)
  // When they go, not when they are made.
  media.network.isHeld = true
  const peers = codecs.slice(1).map((codec, step) => {
    const near = new VirtualPeer(media, `${step}a`, 4000 + 10 * step).open()
    const far = new VirtualPeer(media, `${step}b`, 5000 + 10 * step).open()
    const sides = [
      { peer: near, codec: codecs[step] ?? codec },
      { peer: far, codec },
    ]
    for (const side of sides) {
      const agreement = agreed(side.peer.port, talks(side.codec))
      media.do({ type: 'agree', session: side.peer.session, agreement, talk: true })
    }
    media.do({ type: 'bridge', session: near.session, other: far.session })
    return { near, far, codec }
  })
  const [firstPeer, lastPeer] = [peers[0]?.near, peers.at(-1)]
  if (firstPeer === undefined || lastPeer === undefined) throw new Error('a chain has two codecs')
  const talker = new Talker(firstPeer, codecs[0] ?? 'PCMU', opus)
  const passed = peers.map(() => 0)
  const ms = (said.length / talker.rate) * 1000 + mostDelayMs
  const begunAt = media.now
  let frame = 0
  let spent = 0
  for (const until = media.now + ms; media.now < until; ) {
    if (media.now % frameMs === 0) talker.say(talker.frame(said, frame++))
    // The audio that the remote of one step receives is what the near end of the next one sends.
    for (let step = 0; step + 1 < peers.length; step++) {
      const [from, to] = [peers[step]!, peers[step + 1]!]
      const packets = from.far.received()
      for (const packet of packets.slice(passed[step])) {
        const { sequence, timestamp } = packet
        to.near.say(packet.payload, { payloadType: payloadTypes[from.codec], sequence, timestamp })
      }
      passed[step] = packets.length
    }
    const before = performance.now()
    media.run(media.tickMs)
    spent += performance.now() - before
  }
  const received = listen(lastPeer.far, codecs, opus)
  for (const { near, far } of peers) {
    media.do({ type: 'close', session: near.session })
    media.do({ type: 'close', session: far.session })
  }
  // What is passed on goes with the first tick, what is made again with a later one.
  const sentAfterMs = (lastPeer.far.received()[0]?.at ?? begunAt) - begunAt - media.tickMs
  return { received, sentAfterMs, microsPerFrame: (1000 * spent) / (frame * peers.length) }
}

/** Decoded at the highest rate that came through the whole chain: what is above it is no loss. */
function listen(peer: VirtualPeer, codecs: readonly AudioCodecName[], opus: WarmOpus): Int16Array {
  const codec = codecs.at(-1) ?? 'PCMU'
  const rate =
    codecs.some(each => codecFacts[each].sampleRate === narrow) && codec === 'opus'
      ? narrow
      : codecFacts[codec].sampleRate
  const decoder = new StreamDecoder(rate, opus)
  const packets = peer.received().filter(({ payloadType }) => payloadType === payloadTypes[codec])
  const pcm = new Int16Array(packets.length * (rate / 50) + rate)
  let at = 0
  for (const { payload } of packets) at += decoder.frameInto(pcm, at, codec, payload, 0, payload.length, false)
  decoder.free()
  return resample(pcm.slice(0, at), rate, narrow)
}

function throughCoders(codecs: readonly AudioCodecName[], said: Int16Array, opus: WarmOpus) {
  let rate: number = codecFacts[codecs[0] ?? 'PCMU'].sampleRate
  let pcm = said
  let spent = 0
  let frames = 0
  for (const codec of codecs) {
    const own = codecFacts[codec].sampleRate
    pcm = resample(pcm, rate, own)
    rate = own
    const encoder = new StreamEncoder(codec, own, opus, undefined)
    const decoder = new StreamDecoder(own, opus)
    const count = own / 50
    const bytes = new Uint8Array(1300)
    const out = new Int16Array(pcm.length + 8000)
    let written = 0
    const before = performance.now()
    for (let at = 0; at + count <= pcm.length; at += count, frames++) {
      const length = encoder.encodeInto(bytes, 0, pcm, at, count)
      written += decoder.frameInto(out, written, codec, bytes, 0, length, false)
    }
    spent += performance.now() - before
    encoder.free()
    decoder.free()
    pcm = out.slice(0, written)
  }
  // Each is coded once and decoded once more than there are steps.
  return { received: resample(pcm, rate, narrow), microsPerFrame: (1000 * spent) / frames }
}

const names = ['PCMU', 'PCMA', 'G722', 'opus'] as const satisfies readonly AudioCodecName[]

/** Every codec to every other, and what G.711 suffers on a way through Opus. */
export const chains: readonly (readonly AudioCodecName[])[] = [
  ...names.flatMap(from => names.filter(to => to !== from).map(to => [from, to] as const)),
  ['PCMU', 'opus', 'PCMU'],
  ['PCMA', 'opus', 'PCMA'],
  ['PCMU', 'G722', 'PCMU'],
  ['opus', 'PCMU', 'opus'],
]
