import type { OpusCoders } from '../codec/opus.ts'
import { OggFile, type RecordedRate } from './ogg-file.ts'
import type { RecordedFile } from './recorded-file.ts'

/** A file of Ogg Opus from when it is asked for: what comes before it is made waits. */
export class OggWriting implements RecordedFile {
  hasFailed = false
  /** Undefined once the disk has refused. */
  #file: Promise<OggFile | undefined>

  constructor(path: string, channels: 1 | 2, rate: RecordedRate, opus: OpusCoders) {
    this.#file = OggFile.open(path, channels, rate, opus).catch(() => this.#fail(undefined))
  }

  write(pcm: Int16Array, count: number, done: () => void): void {
    this.#then(file => file.write(pcm, count))
    void this.#file.then(done)
  }

  close(samples: number, done: (sizeBytes: number, hasFailed: boolean) => void): void {
    let sizeBytes = 0
    this.#then(file => {
      sizeBytes = file.finish(samples)
      file.close()
    })
    void this.#file.then(file => done(sizeBytes, file === undefined))
  }

  /** One after the other. */
  #then(step: (file: OggFile) => void): void {
    this.#file = this.#file.then(file => {
      if (file === undefined) return undefined
      try {
        step(file)
        return file
      } catch {
        return this.#fail(file)
      }
    })
  }

  #fail(file: OggFile | undefined): undefined {
    this.hasFailed = true
    file?.close()
    return undefined
  }
}
