import type { MediaCounters, PlayoutCounters } from '../../../rtp/worker/index.ts'
import type { Settings } from '../../model/settings.ts'
import type { Random } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { MediaEvent } from '../../ports/media.ts'

export interface RtpMediaOptions {
  readonly settings: Pick<Settings, 'externalAddresses' | 'media'>
  /** The local address by which a remote address or name is reached; undefined = not known (a guess by subnet is made). */
  localAddressFor(remote: string): string | undefined
  /** Gets events in the order of each leg, never from inside `execute`. */
  emit(event: MediaEvent): void
  readonly random: Random
  readonly log: Log
  /** Memory, one a thread, where threads note what is traced of legs. Default: nothing is traced. */
  readonly tapes?: readonly { readonly memory: SharedArrayBuffer; readonly wantsHeaders: boolean }[] | undefined
  /** Address that sockets are bound to. Default `0.0.0.0`. */
  readonly bindAddress?: string
  /** Default `auto`: batched calls on Linux, else node:dgram. */
  readonly sockets?: 'auto' | 'mmsg' | 'dgram'
}

export interface RtpMediaCounters {
  readonly legs: number
  readonly opened: number
  readonly failed: Readonly<Record<'no-common-codec' | 'bad-sdp' | 'no-ports' | 'internal', number>>
  /** Packets of legs that have ended. */
  readonly packetsReceived: number
  readonly packetsSent: number
  readonly packetsLost: number
  readonly packetsDropped: number
  /**
   * Media that moved without an offer or answer; legs whose source was another's on their shared port; packets of unknown
   * sources, those kept from third parties, and those that came to shared ports for no leg.
   */
  readonly sources: Readonly<Record<'learned' | 'returned' | 'taken' | 'refused' | 'withheld' | 'unknown', number>>
  /** What their jitter buffers did. */
  readonly playout: PlayoutCounters
  readonly threadsLost: number
  /** Threads that hang: their figures are the last ones that they reported. */
  readonly threadsSilent: number
  readonly threads: readonly MediaCounters[]
}
