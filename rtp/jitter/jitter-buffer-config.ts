import type { DelayConfig } from './delay-estimate.ts'

/** What a jitter buffer holds, and how far it lets its delay go. */
export interface JitterBufferConfig extends DelayConfig {
  /** Units of the RTP timestamp a second. Default 8000. */
  readonly clockRate?: number
  /** Timestamp units that a payload lasts. Default its bytes, as G.711 has it. */
  readonly unitsIn?: (payload: Uint8Array, from: number, length: number) => number
  /** Whether a payload can repair the loss of the packet before it. Default none can. */
  readonly repairs?: (payload: Uint8Array, from: number, length: number) => boolean
  /** Packets that fit, a power of two. Default 64. */
  readonly capacity?: number
  /** Longest payload that fits, bytes. Default 480: 60 ms of G.711. */
  readonly slotLength?: number
  /** Never drop audio to shorten the delay: for recordings, where delay is nothing. Default false. */
  readonly keepAll?: boolean
  /** The listener stretches time as `wish` says: audio is dropped only when far too much waits. Default false. */
  readonly stretches?: boolean
}
