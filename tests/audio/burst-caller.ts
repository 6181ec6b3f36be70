import * as assert from 'uvu/assert'
import { codecFacts } from '../../rtp/codec/codec-name.ts'
import { silenceInto } from '../../rtp/codec/silence.ts'
import { StreamDecoder } from '../../rtp/codec/stream-decoder.ts'
import { levelOf } from '../../rtp/tone/level.ts'
import { seeded } from '../rig/probes/seeded.ts'
import { type conversation, payloadTypes, type Talker } from '../rtp/bed/talker.ts'

type Conversation = Awaited<ReturnType<typeof conversation>>

/**
 * Speaks in bursts of 100 ms, two a second, by the wall clock: the place at which each is received shows how late it
 * is.
 */
export class Caller {
  readonly talk: Conversation
  /** The present talker: another one after a change of codec. */
  one: Talker
  readonly #random = seeded(5)
  #frames = 0
  #burstAt = 0
  /** When bursts began. */
  readonly bursts: number[] = []
  /** Skips the frame in the caller's own time, without a packet. */
  isSilent = false
  rtpTimeStands = false
  lossShare = 0
  readonly #silence = new Uint8Array(160)

  constructor(talk: Conversation) {
    this.talk = talk
    this.one = talk.one
    this.#silence = this.#silence.slice(0, silenceInto(this.#silence, 0, talk.two.codec, 20))
  }

  get #burst(): boolean {
    return this.talk.media.now % 500 < 100
  }

  run(ms: number, each?: (now: number) => void): void {
    const { media, two } = this.talk
    const { one } = this
    media.run(ms, now => {
      if (now % 20 !== 0) return
      each?.(now)
      two.say(this.#silence)
      this.#frames++
      const { peer } = one
      const { timestamp } = peer
      if (!this.isSilent) {
        if (this.#burst && now - this.#burstAt > 200) {
          this.bursts.push(now)
          this.#burstAt = now
        }
        one.say(one.frame(this.#sound(), 0), this.#random() < this.lossShare)
      } else if (!this.rtpTimeStands) {
        peer.timestamp = (timestamp + codecFacts[one.codec].clockRate / 50) >>> 0
      }
    })
  }

  #sound(): Int16Array {
    const count = this.one.rate / 50
    const level = this.#burst ? 9000 : 0
    const from = this.#frames * count
    return Int16Array.from({ length: count }, (_, i) =>
      Math.round(level * Math.sin((2 * Math.PI * 700 * (from + i)) / this.one.rate)),
    )
  }
}

interface HeardBurst {
  readonly at: number
  readonly lateMs: number
}

/** Places of the bursts in the received audio: each packet's sound begins when it arrives. */
const burstsIn = (talker: Talker, said: readonly number[], coders: Conversation['opus']): HeardBurst[] => {
  const { peer, codec, rate } = talker
  const decoder = new StreamDecoder(rate, coders)
  const pcm = new Int16Array(rate)
  const found: HeardBurst[] = []
  let wasLoud = false
  let lastLoud = -1000
  for (const packet of peer.received()) {
    if (packet.payloadType !== payloadTypes[codec]) continue
    const count = decoder.frameInto(pcm, 0, codec, packet.payload, 0, packet.payload.length, false)
    const step = rate / 200
    for (let from = 0; from + step <= count; from += step) {
      const at = packet.at + (1000 * from) / rate
      const isLoud = levelOf(pcm, from, step) > -20
      if (isLoud && !wasLoud && at - lastLoud > 150) {
        const begun = said.findLast(one => one <= at)
        if (begun !== undefined) found.push({ at, lateMs: at - begun })
      }
      if (isLoud) lastLoud = at
      wasLoud = isLoud
    }
  }
  decoder.free()
  return found
}

export interface Allowed {
  /** Pauses in which nothing need be sent, ms. Default one frame. */
  readonly pauseMs?: number
  /** Bursts that may be missing. Default 1. */
  readonly missing?: number
  /** The stream may go on as another source, once. */
  readonly renews?: boolean
  /** Most that a burst may be later or earlier. Default 45. */
  readonly delayMs?: number
}

/** Compares what the other side received with what was sent, from `from` on. */
export const judge = (caller: Caller, from: number, allowed: Allowed = {}) => {
  const { two } = caller.talk
  const { pauseMs = 20, missing = 1, renews = false, delayMs = 45 } = allowed
  const packets = two.peer.received().filter(packet => packet.payloadType === payloadTypes[two.codec])
  let renewed = 0
  for (const [n, packet] of packets.entries()) {
    const before = packets[n - 1]
    if (before === undefined) continue
    const where = `packet ${n} at ${packet.at}`
    if (packet.ssrc !== before.ssrc) {
      renewed++
      continue
    }
    assert.is(packet.sequence, (before.sequence + 1) & 0xffff, `${where}: number`)
    const passedMs = ((packet.timestamp - before.timestamp) >>> 0) / (codecFacts[two.codec].clockRate / 1000)
    const wallMs = packet.at - before.at
    assert.ok(passedMs > 0 && passedMs <= pauseMs + 60, `${where}: ${passedMs} ms of time`)
    assert.ok(wallMs <= pauseMs + 40, `${where}: ${wallMs} ms after the one before`)
  }
  assert.is(renewed, renews ? 1 : 0, 'sources')
  // Over the whole, the stream's time has gone with the wall clock.
  const same = packets.filter(packet => packet.ssrc === packets.at(-1)?.ssrc)
  const [first, last] = [same[0], same.at(-1)]
  assert.ok(first && last)
  const streamMs = ((last.timestamp - first.timestamp) >>> 0) / (codecFacts[two.codec].clockRate / 1000)
  assert.ok(Math.abs(streamMs - (last.at - first.at)) <= 60, `${streamMs} ms of time in ${last.at - first.at} ms`)

  const received = burstsIn(two, caller.bursts, caller.talk.opus)
  const before = received.filter(({ at }) => at < from)
  const after = received.filter(({ at }) => at >= from)
  const said = caller.bursts.filter(at => at >= from)
  const due = said.filter(at => at < caller.talk.media.now - 300)
  assert.ok(after.length >= due.length - missing, `${after.length} of ${due.length} bursts are heard`)
  assert.ok(after.length <= said.length, `${after.length} of ${said.length} bursts: something is there twice`)
  const lateness = (bursts: readonly HeardBurst[]) =>
    bursts.map(({ lateMs }) => lateMs).sort((a, b) => a - b)[bursts.length >> 1] ?? Number.NaN
  const settled = after.slice(2)
  const [was, is] = [lateness(before.slice(1)), lateness(settled)]
  assert.ok(Math.abs(is - was) <= delayMs, `${was} ms late before, ${is} ms after`)
}
