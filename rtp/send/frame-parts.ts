import type { Passage } from '../bridge/forwarder.ts'
import type { DatagramNetwork } from '../net/network.ts'
import type { Destination, SenderEvents } from '../packetize/destination.ts'
import type { OutStream } from '../packetize/outgoing-stream.ts'
import type { FrameOutlet } from '../packetize/packetizer.ts'
import type { OutClock } from '../packetize/stream-clock.ts'
import type { DigitQueue } from './digit-queue.ts'
import type { PlayLine } from './prompt-player.ts'
import type { Voice } from './transcoder.ts'

/** What a leg's far end is to hear, and the stream that it goes out in. */
export interface FrameParts {
  readonly network: DatagramNetwork
  readonly stream: OutStream
  readonly clock: OutClock
  readonly to: Destination
  readonly events: SenderEvents
  readonly digits: DigitQueue
  readonly plays: PlayLine
  readonly voice: Voice
  readonly passage: Passage
  /** Frames of audio go out by it. */
  readonly outlet: FrameOutlet
  /** What is no audio. */
  readonly send: (packet: Uint8Array, length: number) => void
}
