import type { RecordingSink, RecordingStore } from '../contract/recording-sink.ts'
import { RecordingThreadLink } from './recording-thread-link.ts'

const usualRate = 8000
/** Coding is work that can wait: calls go first. Writing is little, and goes with the rest of the process. */
const oggNiceness = 10
const wavNiceness = 0
const flushEveryMs = 1000
/** Recordings are flushed in turns: all at once they would make a tick late. */
const turns = 20

/**
 * Recordings as files, written once a second while any is open: Ogg Opus where the path ends in `.ogg`, else WAV.
 * Other threads than the media thread write them; the media thread only copies samples and waits for no disk and no
 * lock.
 */
export class RecordingFiles implements RecordingStore {
  readonly #turns = Array.from({ length: turns }, () => new Set<RecordingSink & { flush(): void }>())
  #turn = 0
  #count = 0
  readonly #ogg = new RecordingThreadLink(oggNiceness)
  readonly #wav = new RecordingThreadLink(wavNiceness)
  #timer: ReturnType<typeof setInterval> | undefined

  open(path: string, channels: 1 | 2 = 1, sampleRate: number = usualRate): RecordingSink {
    const link = path.endsWith('.ogg') ? this.#ogg : this.#wav
    const file = link.open(path, channels, sampleRate)
    const turn = this.#turns.reduce((least, each) => (each.size < least.size ? each : least))
    turn.add(file)
    this.#count++
    this.#timer ??= setInterval(() => this.#flush(), flushEveryMs / turns)
    return {
      get hasFailed() {
        return file.hasFailed
      },
      write: (pcm, from, count) => file.write(pcm, from, count),
      close: (samples, done) => {
        if (turn.delete(file)) this.#count--
        if (this.#count === 0) {
          clearInterval(this.#timer)
          this.#timer = undefined
        }
        file.close(samples, done)
      },
    }
  }

  #flush(): void {
    this.#turn = (this.#turn + 1) % turns
    for (const file of this.#turns[this.#turn] ?? []) file.flush()
  }
}
