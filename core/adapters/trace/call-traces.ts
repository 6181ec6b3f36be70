import { join } from 'node:path'
import { tapeMemory } from '../../../rtp/index.ts'
import type { SipTap } from '../../../sip/transport/index.ts'
import type { CallUuid } from '../../model/ids.ts'
import type { Settings } from '../../model/settings.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { ringMemory } from '../../trace/item-ring.ts'
import type { TraceAnswer, TraceQuery } from '../../trace/trace.ts'
import { TraceInlet } from '../../trace/trace-inlet.ts'
import { TraceRecorder } from '../../trace/trace-recorder.ts'
import { TraceLink } from './trace-link.ts'
import { type TraceFigure, traceFigures } from './trace-protocol.ts'

const megabyte = 1024 * 1024
const hourMs = 3_600_000
/** What waits for the thread of traces: more than a second at the highest load. Pages that were never written take no memory. */
const inletBytes = 16 * megabyte
/** Entries become text together after this. */
const gatheredForMs = 100

export type TraceCounters = Readonly<Record<TraceFigure, number>> & {
  /** What found no room on its way to the thread. */
  readonly missed: number
}

/** The flight recorder of a switch: what is noted goes through shared memory to a thread that keeps it. */
export class CallTraces {
  readonly recorder: TraceRecorder
  readonly tap: SipTap
  /** For media threads, one each. */
  readonly tapes: readonly { readonly memory: SharedArrayBuffer; readonly wantsHeaders: boolean }[]
  readonly tried: (callId: CallUuid, tried: Readonly<Record<string, unknown>>) => void
  readonly #inlet: TraceInlet
  readonly #link: TraceLink
  readonly #figures: Float64Array

  /** Undefined when the settings give it no memory. */
  static open(
    settings: Pick<Settings, 'recorder' | 'hep' | 'dns' | 'dataFolder' | 'media'>,
    clock: Clock,
    log: Log,
  ): CallTraces | undefined {
    return settings.recorder.memoryMb === 0 ? undefined : new CallTraces(settings, clock, log)
  }

  private constructor(
    { recorder, hep, dns, dataFolder, media }: Pick<Settings, 'recorder' | 'hep' | 'dns' | 'dataFolder' | 'media'>,
    clock: Clock,
    log: Log,
  ) {
    const offset = clock.unixMs() - clock.now()
    const inlet = ringMemory(inletBytes)
    const figures = new SharedArrayBuffer(8 * traceFigures.length)
    const { memoryMb, diskMb, hours, rtpHeaders } = recorder
    const tapes = Array.from({ length: Math.max(1, media.workers) }, tapeMemory)
    const folder = join(dataFolder, 'traces')
    const disk = diskMb === 0 ? undefined : { folder, bytes: diskMb * megabyte, keptMs: hours * hourMs }
    const flush = () => this.#inlet.flush()
    this.#inlet = new TraceInlet(inlet, () => setTimeout(flush, gatheredForMs).unref())
    this.#figures = new Float64Array(figures)
    this.#link = new TraceLink(
      { inlet, tapes, figures, memoryBytes: memoryMb * megabyte, rtpHeaders, disk, hep, dns },
      log,
    )
    this.tapes = tapes.map(memory => ({ memory, wantsHeaders: rtpHeaders > 0 }))
    this.recorder = new TraceRecorder(this.#inlet, clock, offset)
    this.tap = this.recorder
    this.tried = (callId, tried) => this.recorder.callback(callId, tried)
  }

  get counters(): TraceCounters {
    const figures = traceFigures.map((name, at) => [name, this.#figures[at] ?? 0])
    return { ...(Object.fromEntries(figures) as Record<TraceFigure, number>), missed: this.#inlet.dropped }
  }

  /** A call's trace by uuid or sid; undefined: nothing is kept of it. */
  read(id: string, query: TraceQuery): Promise<TraceAnswer | undefined> {
    this.#inlet.flush()
    return this.#link.read(id, query)
  }

  /** What was recorded is kept first. */
  close(): Promise<void> {
    this.#inlet.flush()
    return this.#link.close()
  }
}
