import type { BrowserLink } from './browser-link.ts'

/** Handshake datagrams of a tick: each may cost a signature, and all other calls wait for it. */
const mostATick = 16
/**
 * Most handshakes of one remote: a whole flight, even when each message and each part of a certificate has its own
 * datagram. A missing part would be missing in the retransmission too. A remote that sends more must not displace the
 * others.
 */
const mostOfOne = 8
const mostWaiting = 512

interface Waiting {
  readonly link: BrowserLink
  readonly datagram: Uint8Array
}

type Take = (link: BrowserLink, datagram: Uint8Array, length: number) => void

/** Handshakes of all links, a limited number each tick; the others wait in order. */
export class HandshakeQueue {
  readonly #take: Take
  #waiting: Waiting[] = []
  /** Handshakes of each link, taken in this tick or waiting. */
  readonly #ofLink = new Map<BrowserLink, number>()
  #left = mostATick

  constructor(take: Take) {
    this.#take = take
  }

  /** False when there is no room: it will be retransmitted. */
  arrived(link: BrowserLink, packet: Uint8Array, length: number): boolean {
    const own = this.#ofLink.get(link) ?? 0
    if (own >= mostOfOne || this.#waiting.length >= mostWaiting) return false
    this.#ofLink.set(link, own + 1)
    if (this.#left === 0) this.#waiting.push({ link, datagram: packet.slice(0, length) })
    else {
      this.#left--
      this.#take(link, packet, length)
    }
    return true
  }

  tick(): void {
    this.#left = mostATick
    this.#ofLink.clear()
    if (this.#waiting.length === 0) return
    const now = this.#waiting.slice(0, mostATick)
    this.#waiting = this.#waiting.slice(mostATick)
    for (const { link } of this.#waiting) this.#ofLink.set(link, (this.#ofLink.get(link) ?? 0) + 1)
    this.#left -= now.length
    for (const { link, datagram } of now) this.#take(link, datagram, datagram.length)
  }
}
