import type { DatagramSocket } from '../net/network.ts'
import type { PortPair } from '../net/port-pool.ts'
import { movingMs } from '../receive/symmetric-rtp.ts'
import { type SharedHome, SharedLeg } from './shared-leg.ts'
import { SourceTable } from './source-table.ts'
import type { UnknownSenders } from './unknown-senders.ts'

/** An entry that goes when its time is over, unless it belongs to a leg again. */
interface Leaving {
  readonly isReport: boolean
  readonly address: number
  readonly port: number
  readonly leg: SharedLeg
  readonly until: number
}

/**
 * A pair of UDP ports of many legs, which are distinguished by the address and port that signalling names for their
 * remotes. What comes from anywhere else belongs to no leg: it is dropped and counted.
 */
export class SharedPair implements SharedHome {
  readonly ports: PortPair
  readonly unknown: UnknownSenders
  /** Legs that use it. */
  legs = 0
  readonly #media = new SourceTable<SharedLeg>()
  readonly #reports = new SourceTable<SharedLeg>()
  /** By the end of their time: it is the same for all. */
  readonly #leaving: Leaving[] = []

  constructor(ports: PortPair, unknown: UnknownSenders) {
    this.ports = ports
    this.unknown = unknown
    this.#listen(ports.rtp, this.#media, false)
    this.#listen(ports.rtcp, this.#reports, true)
  }

  /** No leg uses it, and none has left it lately. */
  get isIdle(): boolean {
    return this.legs === 0 && this.#leaving.length === 0
  }

  isFree(address: number, port: number, rtcpPort: number, leg?: SharedLeg): boolean {
    return (
      this.#anotherAt(this.#media, false, address, port, leg) === undefined &&
      this.#anotherAt(this.#reports, true, address, rtcpPort, leg) === undefined
    )
  }

  enter(): SharedLeg {
    this.legs++
    return new SharedLeg(this)
  }

  claim(leg: SharedLeg, address: number, port: number, rtcpPort: number, now: number): boolean {
    this.#leave(leg, now)
    const holder = this.#anotherAt(this.#media, false, address, port, leg)
    leg.isAmbiguous = holder !== undefined
    if (holder !== undefined) {
      // Perhaps its SDP named the address of a call that was to come: what the other leg is sent must not reach it.
      if (!holder.hasReceived) holder.isAmbiguous = true
      return false
    }
    leg.address = address
    leg.port = port
    this.#media.set(address, port, leg)
    // Without its reports a leg lacks figures, but no audio.
    leg.rtcpPort = this.#anotherAt(this.#reports, true, address, rtcpPort, leg) === undefined ? rtcpPort : 0
    this.#reports.set(address, leg.rtcpPort, leg)
    return true
  }

  /** What is on its way finds its table for a moment. */
  quit(leg: SharedLeg, now: number): void {
    this.legs--
    this.#leave(leg, now)
  }

  tick(now: number): void {
    const leaving = this.#leaving
    for (let next = leaving[0]; next !== undefined && next.until <= now; next = leaving[0]) {
      leaving.shift()
      const { isReport, address, port, leg } = next
      const table = isReport ? this.#reports : this.#media
      if (table.find(address, port) === leg && !this.#holds(leg, isReport, address, port)) table.delete(address, port)
    }
  }

  #listen(socket: DatagramSocket, table: SourceTable<SharedLeg>, isReport: boolean): void {
    socket.isShared = true
    socket.receiver = (packet, length, address, port) => {
      const leg = table.find(address, port)
      if (leg === undefined || leg.isAmbiguous) {
        this.unknown.note(address, port)
        return
      }
      leg.hasReceived = true
      ;(isReport ? leg.rtcp : leg.rtp).receiver?.(packet, length, address, port)
    }
  }

  /** The source that the leg has had goes after the time in which a remote may move. */
  #leave(leg: SharedLeg, now: number): void {
    const { address, port, rtcpPort } = leg
    const until = now + movingMs
    if (port !== 0) this.#leaving.push({ isReport: false, address, port, leg, until })
    if (rtcpPort !== 0) this.#leaving.push({ isReport: true, address, port: rtcpPort, leg, until })
    leg.port = 0
    leg.rtcpPort = 0
  }

  /** Another leg that has that source. */
  #anotherAt(
    table: SourceTable<SharedLeg>,
    isReport: boolean,
    address: number,
    port: number,
    leg: SharedLeg | undefined,
  ): SharedLeg | undefined {
    const holder = port === 0 ? undefined : table.find(address, port)
    if (holder === undefined || holder === leg || !this.#holds(holder, isReport, address, port)) return undefined
    return holder
  }

  /** The entry is no rest of a leg that has ended or moved. */
  #holds(leg: SharedLeg, isReport: boolean, address: number, port: number): boolean {
    return leg.pair === this && leg.address === address && (isReport ? leg.rtcpPort : leg.port) === port
  }
}
