import type { Forwarder } from '../bridge/forwarder.ts'
import type { DatagramNetwork } from '../net/network.ts'
import type { Destination, SenderEvents } from '../packetize/destination.ts'
import type { OutgoingStream } from '../packetize/outgoing-stream.ts'
import type { Packetizer } from '../packetize/packetizer.ts'
import type { StreamClock } from '../packetize/stream-clock.ts'
import type { DigitQueue } from './digit-queue.ts'
import type { PromptPlayer } from './prompt-player.ts'
import type { Transcoder } from './transcoder.ts'

/** What a leg's remote is to hear, and the stream that it goes out in. */
export interface SendParts {
  readonly network: DatagramNetwork
  readonly stream: OutgoingStream
  readonly clock: StreamClock
  readonly to: Destination
  readonly events: SenderEvents
  readonly digits: DigitQueue
  readonly plays: PromptPlayer
  readonly transcoder: Transcoder
  readonly forwarder: Forwarder
  /** Frames of audio go out by it. */
  readonly packetizer: Packetizer
  /** What is no audio. */
  readonly send: (packet: Uint8Array, length: number) => void
}
