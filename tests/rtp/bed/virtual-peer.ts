import type { Agreement } from '../../../rtp/contract/agreement.ts'
import { agreed } from './agreement.ts'
import { fieldsOf, type RtpOptions, rtp } from './rtp-packet.ts'
import { VirtualMedia } from './virtual-media.ts'
import { home } from './virtual-network.ts'

/** A remote of the virtual network, at a port of `home`. */
export class VirtualPeer {
  readonly port: number
  readonly media: VirtualMedia
  readonly session: string
  readonly address: number
  /** The session's. */
  to = 0
  sequence = 60_000
  timestamp = 4_294_900_000
  ssrc: number

  constructor(media: VirtualMedia, session: string, port: number, address = home) {
    this.media = media
    this.session = session
    this.port = port
    this.address = address
    this.ssrc = port * 7919
  }

  open(): this {
    this.media.do({ type: 'open', session: this.session })
    const opened = this.media.take('opened').at(-1)
    if (opened === undefined) throw new Error('not opened')
    this.to = opened.port
    return this
  }

  say(payload: Uint8Array, options: RtpOptions = {}, from = this.port, address = this.address): void {
    const { sequence = this.sequence, timestamp = this.timestamp } = options
    this.media.network.arrive(
      this.to,
      rtp(payload, { ssrc: this.ssrc, ...options, sequence, timestamp }),
      address,
      from,
    )
    this.sequence = (sequence + 1) & 0xffff
    this.timestamp = (timestamp + payload.length) >>> 0
  }

  /** RTP that was sent to this peer, from where it left off. */
  received(port = this.port): ReturnType<typeof fieldsOf>[] {
    return this.media.network.sent.filter(sent => sent.port === port && sent.from === this.to).map(fieldsOf)
  }
}

/** Two remotes whose sessions are bridged. */
export const bridged = (
  changesA: Partial<Agreement> = {},
  changesB: Partial<Agreement> = {},
  media: VirtualMedia = new VirtualMedia(),
) => {
  const a = new VirtualPeer(media, 'a', 4000).open()
  const b = new VirtualPeer(media, 'b', 5000).open()
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000, changesA), talk: true })
  media.do({ type: 'agree', session: 'b', agreement: agreed(5000, changesB), talk: true })
  media.do({ type: 'bridge', session: 'a', other: 'b' })
  return { media, a, b }
}
