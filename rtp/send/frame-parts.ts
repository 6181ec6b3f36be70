import type { Forwarder } from '../bridge/forwarder.ts'
import type { Agreement } from '../contract/agreement.ts'
import type { DatagramNetwork } from '../net/network.ts'
import type { Destination } from '../packetize/destination.ts'
import type { OutgoingStream } from '../packetize/outgoing-stream.ts'
import type { Packetizer } from '../packetize/packetizer.ts'
import type { StreamClock } from '../packetize/stream-clock.ts'
import type { DigitQueue } from './digit-queue.ts'
import type { PromptPlayer } from './prompt-player.ts'
import type { Transcoder } from './transcoder.ts'

/** What the sources of a leg's stream depend on, beside what they hold themselves. */
export interface SendState {
  agreement: Agreement | undefined
  /** Silence is sent when there is nothing else. */
  isTalking: boolean
  /** The remote receives another leg, or a room. */
  isBridged: boolean
}

/** What is sent to a leg's remote is made of these, and goes out in `stream`. */
export interface SendParts {
  readonly state: SendState
  readonly network: DatagramNetwork
  readonly stream: OutgoingStream
  readonly clock: StreamClock
  readonly to: Destination
  readonly digits: DigitQueue
  readonly plays: PromptPlayer
  readonly transcoder: Transcoder
  readonly forwarder: Forwarder
  /** Frames of audio go out by it. */
  readonly packetizer: Packetizer
  /** Sends what is not audio. */
  readonly send: (packet: Uint8Array, length: number) => void
}
