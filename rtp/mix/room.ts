import type { OpusCoders } from '../codec/opus.ts'
import { clipInto, clipWithoutInto } from './mix.ts'
import { MixBus } from './mix-bus.ts'
import { MixCoder } from './mix-coder.ts'
import { type MixRate, mixFrameMs, mixRates, samplesOfFrame } from './mix-rate.ts'
import type { RoomLink } from './room-link.ts'
import { RoomMember } from './room-member.ts'
import { RoomNotices, type RoomTone } from './room-notices.ts'
import type { Seat } from './seat.ts'

/** Frames made at once after a stall; what is owed beyond them is left out. */
const maxCatchUpFrames = 5
/** Half a tick of the media clock: what is due between two goes out with the nearer. */
const earlyMs = 2.5

export interface RoomHost {
  readonly opus: OpusCoders
  /** A fault of ours in this member; it is out of the room. */
  failed(seat: Seat, error: unknown): void
}

/** A coder for all who receive the same, and the frame that it has encoded last. */
interface CommonCoder {
  readonly coder: MixCoder
  frame: number
  lossPercent: number
}

/** The last audio of a member that has left. */
interface LastWords {
  readonly rate: MixRate
  readonly pcm: Int16Array
}

/**
 * A room of a thread: each of its members receives the sum of the others. Every 20 ms all members are read, the sum
 * is made once, and each speaker's own audio is subtracted; all silent members receive the same, encoded once for
 * each codec.
 */
export class Room {
  /** Times that a stall was too long to be caught up. */
  stalls = 0
  readonly #host: RoomHost
  readonly #link: RoomLink | undefined
  readonly #members: RoomMember[] = []
  readonly #bus = new MixBus()
  readonly #notices = new RoomNotices()
  readonly #lastWords: LastWords[] = []
  readonly #common = new Map<string, CommonCoder>()
  readonly #mix = new Int16Array(samplesOfFrame(48_000))
  /** What silent members receive in this frame, by rate. */
  readonly #commonMix = new Map<MixRate, { readonly pcm: Int16Array; frame: number }>(
    mixRates.map(rate => [rate, { pcm: new Int16Array(samplesOfFrame(rate)), frame: -1 }]),
  )
  readonly #failing: { readonly seat: Seat; readonly error: unknown }[] = []
  #dueAt: number
  #frame = 0

  /** `link`: to the members of the same room on other threads. */
  constructor(host: RoomHost, link: RoomLink | undefined, now: number) {
    this.#host = host
    this.#link = link
    this.#dueAt = link === undefined ? now : link.frameAfter(now)
  }

  get size(): number {
    return this.#members.length
  }

  /** Takes a member in, or changes whether it may speak. */
  join(seat: Seat, isMuted: boolean): void {
    const member = this.#memberOf(seat)
    if (member === undefined) this.#members.push(new RoomMember(seat, isMuted, this.#host.opus))
    else member.isMuted = isMuted
  }

  /** False when it was not here. */
  leave(seat: Seat, now: number): boolean {
    const member = this.#memberOf(seat)
    if (member === undefined) return false
    try {
      const pcm = member.lastWords(now)
      if (pcm !== undefined && member.rate !== undefined) this.#lastWords.push({ rate: member.rate, pcm })
    } finally {
      this.#remove(member)
    }
    return true
  }

  /** All members receive it, on other threads too. */
  sound(tone: RoomTone): void {
    this.#notices.sound(tone)
  }

  /** `tickAt`: when the tick was due. */
  tick(now: number, tickAt = now): void {
    for (let frames = 0; frames < maxCatchUpFrames && this.#dueAt - earlyMs <= tickAt; frames++) {
      this.#makeFrame(this.#dueAt, now)
      this.#dueAt += mixFrameMs
    }
    if (this.#dueAt > tickAt) return
    this.stalls++
    this.#dueAt += Math.ceil((tickAt - this.#dueAt) / mixFrameMs) * mixFrameMs
  }

  /** No member speaks any more. */
  close(): void {
    for (const member of [...this.#members]) this.#remove(member)
  }

  #memberOf(seat: Seat): RoomMember | undefined {
    return this.#members.find(member => member.seat === seat)
  }

  #remove(member: RoomMember): void {
    const at = this.#members.indexOf(member)
    if (at !== -1) this.#members.splice(at, 1)
    member.free()
    member.seat.release()
    for (const [key, { coder }] of this.#common) {
      if (this.#members.some(({ coderKey }) => coderKey === key)) continue
      coder.free()
      this.#common.delete(key)
    }
  }

  #makeFrame(at: number, now: number): void {
    this.#frame++
    const bus = this.#bus
    bus.begin()
    for (let i = 0; i < this.#members.length; i++) this.#read(this.#members[i]!, now)
    for (let last = this.#lastWords.pop(); last !== undefined; last = this.#lastWords.pop()) {
      bus.add(last.rate, last.pcm)
    }
    if (this.#notices.read()) bus.add(this.#notices.rate, this.#notices.pcm)
    this.#link?.exchange(bus, at)
    bus.finish()
    for (let i = 0; i < this.#members.length; i++) this.#send(this.#members[i]!, at, now)
    if (this.#failing.length > 0) this.#expel()
  }

  #read(member: RoomMember, now: number): void {
    try {
      member.refresh()
      member.read(now)
    } catch (error) {
      member.isAudible = false
      this.#failing.push({ seat: member.seat, error })
      return
    }
    if (member.rate === undefined) return
    this.#bus.want(member.rate)
    if (member.isAudible) this.#bus.add(member.rate, member.pcm)
  }

  #send(member: RoomMember, at: number, now: number): void {
    const { rate, seat } = member
    if (rate === undefined || !seat.receivesMix) return
    try {
      if (member.hasOwnMix) {
        this.#mixFor(member, rate)
        member.send(this.#mix, at, now)
      } else {
        const { payload, length } = this.#encodeCommon(member, rate)
        seat.sendMix(payload, length, at, now)
      }
    } catch (error) {
      this.#failing.push({ seat, error })
    }
  }

  #mixFor(member: RoomMember, rate: MixRate): void {
    const count = member.pcm.length
    const total = this.#bus.totalOf(rate)
    if (member.isAudible) clipWithoutInto(this.#mix, 0, total, member.pcm, 0, count)
    else clipInto(this.#mix, 0, total, count)
  }

  /** The coder that holds this frame, for all of the member's kind. */
  #encodeCommon(member: RoomMember, rate: MixRate): MixCoder {
    const { format } = member.seat
    let common = this.#common.get(member.coderKey)
    if (common === undefined) {
      if (format === undefined) throw new Error('a member without a format hears nothing')
      common = { coder: new MixCoder(format, this.#host.opus), frame: -1, lossPercent: 0 }
      this.#common.set(member.coderKey, common)
    }
    // Who loses most decides how much of the next frame is for repair.
    common.lossPercent = Math.max(common.lossPercent, member.seat.lossPercent)
    if (common.frame !== this.#frame) {
      common.frame = this.#frame
      common.coder.tune(common.lossPercent)
      common.lossPercent = 0
      common.coder.encode(this.#commonPcm(rate), 0, samplesOfFrame(rate))
    }
    return common.coder
  }

  #commonPcm(rate: MixRate): Int16Array {
    const common = this.#commonMix.get(rate)
    if (common === undefined) throw new Error(`no mix of ${rate} Hz`)
    if (common.frame !== this.#frame) {
      common.frame = this.#frame
      clipInto(common.pcm, 0, this.#bus.totalOf(rate), common.pcm.length)
    }
    return common.pcm
  }

  #expel(): void {
    for (const { seat, error } of this.#failing.splice(0)) {
      const member = this.#memberOf(seat)
      if (member === undefined) continue
      this.#remove(member)
      this.#host.failed(seat, error)
    }
  }
}
