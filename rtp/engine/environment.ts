import type { BrowserCounters } from '../browser/browser-counters.ts'
import type { BrowserPortConfig } from '../browser/browser-port.ts'
import type { OpusCoders } from '../codec/opus.ts'
import type { EngineEvent } from '../contract/event.ts'
import type { PromptStore } from '../contract/prompts.ts'
import type { RecordingStore } from '../contract/recording-sink.ts'
import type { DatagramNetwork } from '../net/network.ts'
import type { MediaTape } from '../report/media-tape.ts'

export interface EngineConfig {
  /** Inclusive; even ones carry RTP, the next odd one RTCP. */
  readonly ports: readonly [first: number, last: number]
  /** Default 2000. */
  readonly drainMs?: number
  /** Most pairs of ports that are bound before a session needs them, see `ready`. Default 0. */
  readonly readyPairs?: number
  /** Legs on a pair of shared ports before another pair is opened. Default 128. */
  readonly legsPerSharedPair?: number
  /** Time without RTP after which a leg is reported. Default 60,000. */
  readonly timeoutMs?: number
}

export interface EngineEnvironment {
  readonly network: DatagramNetwork
  readonly prompts: PromptStore
  readonly recordings: RecordingStore
  readonly opus: OpusCoders
  /** For browser legs; undefined = there are none. */
  readonly browsers?: BrowserPortConfig
  /** What happens, as it happens; must not call back into the engine. */
  emit(event: EngineEvent): void
  /** RTP ports that a plain session may be opened on, each once. */
  ready?(ports: readonly number[]): void
  /** Takes what is traced of sessions. Default: nothing is. */
  readonly tape?: MediaTape | undefined
  /** Monotonic milliseconds, for what does not happen on a tick. */
  now(): number
  /** What is to be added to this thread's times for those of a clock that all threads share. Default 0. */
  readonly clockOffsetMs?: number
  random(): number
  unixMs(now: number): number
  /** A tick is in the next one's time; reported again and again while it is. */
  overran?(now: number): void
}

export interface EngineCounters {
  readonly sessions: number
  readonly draining: number
  readonly portsFree: number
  /** Pairs of the free ones that are bound already, see `ready`. */
  readonly portsReady: number
  /** Sessions on ports that they share: they use none of the range. */
  readonly onSharedPorts: number
  /** Packets that came to shared ports from sources of no session. */
  readonly unknownSources: number
  readonly received: number
  readonly sent: number
  readonly unsent: number
  /** Packets and reports that were left out since their remotes sent more than any talker does. */
  readonly excess: number
  /** Sessions that a fault of ours has ended. */
  readonly faults: number
  readonly browsers: Readonly<BrowserCounters>
}
