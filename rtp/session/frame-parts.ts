import type { Passage } from '../bridge/passage.ts'
import type { DatagramNetwork } from '../engine/network.ts'
import type { DigitQueue } from './digit-queue.ts'
import type { FrameOutlet } from './frame-outlet.ts'
import type { OutClock } from './out-clock.ts'
import type { OutStream } from './out-stream.ts'
import type { PlayLine } from './play-line.ts'
import type { Voice } from './voice.ts'

export interface SenderEvents {
  played(playId: string, completed: boolean): void
  digitsSent(digitsId: string): void
  /** A frame of a play goes out: a whole packet, due at `at`. */
  sounded(packet: Uint8Array, length: number, at: number): void
}

/** Where packets go, while any may be sent. */
export interface Destination {
  address: number
  port: number
  maySend(): boolean
  /** A packet went there. */
  sent(): void
}

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
