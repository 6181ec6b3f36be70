import { fileURLToPath } from 'node:url'
import { ownModule } from '../../../rtp/io/index.ts'
import { FairQueue } from '../queue/fair-queue.ts'
import { type AudioFault, audioFault } from './audio-fault.ts'
import { childOutput } from './child-output.ts'

/** What the converter reports. */
export type ConversionReport =
  | { readonly ok: true; readonly durationMs: number }
  | { readonly ok: false; readonly code: AudioFault['code']; readonly detail: string }

/**
 * Programs at once: more only take the cores from the calls that run. One of an account: an hour of audio takes many
 * seconds, and the other is for the others.
 */
const places = { width: 2, widthPerOwner: 1, maxWaiting: 500, maxWaitingPerOwner: 64 }
/** Half a minute, and half a minute more for 20 MB: an hour of Opus took 30 to 49 s on a machine that had no time for it. */
const timeoutOf = ({ length }: Uint8Array): number => 30_000 + length / 700
const maxReportBytes = 4096
/** MB of the program's own objects; what it decodes it writes at once. */
const maxHeap = 256

const program = fileURLToPath(ownModule('./convert-audio.ts', import.meta.url))

/** MP3 and Ogg Opus to WAV, each file in a process of its own. */
export class AudioConverter {
  readonly #queue = new FairQueue(places)
  readonly #closing = new AbortController()

  /** `owner` takes its turn among the owners. Without `path` nothing is written: it only checks whether it could be. */
  async convert(
    owner: string,
    bytes: Uint8Array,
    path?: string,
  ): Promise<AudioFault | { readonly durationMs: number }> {
    const result = await this.#queue.run(owner, () =>
      childOutput({
        command: process.execPath,
        args: [
          `--max-old-space-size=${maxHeap}`,
          '--disable-warning=ExperimentalWarning',
          program,
          ...(path === undefined ? [] : [path]),
        ],
        input: bytes,
        timeoutMs: timeoutOf(bytes),
        maxOutputBytes: maxReportBytes,
        signal: this.#closing.signal,
      }),
    )
    if (!result.ok) return audioFault('PLAY.0400', `it could not be converted: ${result.fault}`)
    const report: ConversionReport = JSON.parse(new TextDecoder().decode(result.output))
    return report.ok ? { durationMs: report.durationMs } : audioFault(report.code, report.detail)
  }

  /** Ends what still runs. */
  close(): void {
    this.#closing.abort()
  }
}
