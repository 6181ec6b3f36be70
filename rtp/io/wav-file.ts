import { close, fsync, ftruncate, open, rename, unlink, write } from 'node:fs'
import type { WavFormat } from '../wav/format.ts'
import { maxWavDataLengthOf, wavHeader, wavHeaderLengthOf } from '../wav/write.ts'
import type { RecordedFile } from './recorded-file.ts'

const formatOf = (channels: 1 | 2, sampleRate: number): WavFormat => ({ encoding: 'pcm16', sampleRate, channels })
const headerBytes = wavHeaderLengthOf(formatOf(1, 8000))
/** Two seconds of 8,000 Hz. */
const chunkBytes = 32 * 1024
/** Chunks that wait for a slow disk, about a minute; beyond, the recording has failed. */
const maxChunks = 32

interface Chunk {
  readonly bytes: Buffer
  readonly view: DataView
}

const newChunk = (): Chunk => {
  const bytes = Buffer.allocUnsafeSlow(chunkBytes)
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, chunkBytes) }
}

/**
 * A WAV file that can be opened at every instant: samples go to disk before the header that counts them, so that a
 * process that is killed leaves a shorter recording, not a broken one. Nothing here waits for the disk.
 */
export class WavFile implements RecordedFile {
  hasFailed = false
  readonly #format: WavFormat
  /** Where it lies until it has a header; then it has its name. */
  readonly #unnamed: string
  #hasName = false
  #fd = -1
  #isBusy = true
  #isClosing = false
  #filling: Chunk
  #filled = 0
  readonly #full: Chunk[] = []
  readonly #spare: Chunk[] = []
  #chunks = 1
  /** Bytes of samples on disk. */
  #written = 0
  #finish: (() => void) | undefined

  constructor(path: string, channels: 1 | 2, sampleRate: number) {
    this.#format = formatOf(channels, sampleRate)
    this.#filling = newChunk()
    // Under its name there is never a file without a header.
    this.#unnamed = `${path}.new`
    open(this.#unnamed, 'w', 0o640, (error, fd) => {
      if (error) return this.#fail()
      this.#fd = fd
      this.#writeAll(Buffer.from(wavHeader(this.#format, 0)), 0, () =>
        rename(this.#unnamed, path, error => {
          if (error) return this.#fail()
          this.#hasName = true
          this.#idle()
        }),
      )
    })
  }

  write(pcm: Int16Array, count: number, done: () => void): void {
    if (!this.hasFailed && !this.#isClosing) this.#copy(pcm, count)
    done()
    this.#flush()
  }

  #copy(pcm: Int16Array, count: number): void {
    for (let i = 0; i < count; ) {
      if (this.#filled === chunkBytes && !this.#turn()) return
      const { view } = this.#filling
      const end = Math.min(count, i + ((chunkBytes - this.#filled) >> 1))
      let at = this.#filled
      for (; i < end; i++, at += 2) view.setInt16(at, pcm[i]!, true)
      this.#filled = at
    }
  }

  /** Begins to write what has come, unless the disk is still busy with what came before. */
  #flush(): void {
    if (this.#isBusy || this.hasFailed) return
    const next = this.#full.shift()
    if (next !== undefined) {
      this.#append(next, chunkBytes)
      return
    }
    if (this.#filled === 0) return
    const chunk = this.#filling
    const length = this.#filled
    this.#filling = this.#spare.pop() ?? this.#newChunk()
    this.#filled = 0
    this.#append(chunk, length)
  }

  close(samples: number, done: (sizeBytes: number, hasFailed: boolean) => void): void {
    this.#isClosing = true
    this.#finish = () => {
      if (this.hasFailed) return this.#giveUp(sizeBytes => done(sizeBytes, true))
      const length = Math.min(2 * samples, this.#written)
      // The header first: the file may never hold less than it says.
      this.#writeAll(Buffer.from(wavHeader(this.#format, length)), 0, () =>
        ftruncate(this.#fd, headerBytes + length, truncated =>
          fsync(this.#fd, synced =>
            close(this.#fd, closed => done(headerBytes + length, Boolean(truncated ?? synced ?? closed))),
          ),
        ),
      )
    }
    if (!this.#isBusy) this.#idle()
  }

  /** What the header counts is kept; what a full disk has taken of more is cut off, and a file that has none goes. */
  #giveUp(done: (sizeBytes: number) => void): void {
    const fd = this.#fd
    const size = headerBytes + this.#written
    if (fd < 0) done(0)
    else if (this.#hasName) ftruncate(fd, size, () => close(fd, () => done(size)))
    else close(fd, () => unlink(this.#unnamed, () => done(0)))
  }

  /** Puts the full chunk aside; false when too many wait. */
  #turn(): boolean {
    if (this.#chunks >= maxChunks && this.#spare.length === 0) {
      this.hasFailed = true
      return false
    }
    this.#full.push(this.#filling)
    this.#filling = this.#spare.pop() ?? this.#newChunk()
    this.#filled = 0
    return true
  }

  #newChunk(): Chunk {
    this.#chunks++
    return newChunk()
  }

  #append(chunk: Chunk, length: number): void {
    this.#isBusy = true
    const room = maxWavDataLengthOf(this.#format) - this.#written
    const kept = Math.min(length, room)
    this.#writeAll(chunk.bytes.subarray(0, kept), headerBytes + this.#written, () => {
      this.#written += kept
      this.#spare.push(chunk)
      this.#writeAll(Buffer.from(wavHeader(this.#format, this.#written)), 0, () => this.#idle())
    })
  }

  #idle(): void {
    this.#isBusy = false
    const isBehind = this.#full.length > 0 || (this.#isClosing && this.#filled > 0)
    if (isBehind && !this.hasFailed) this.#flush()
    else if (this.#isClosing) this.#end()
  }

  #end(): void {
    const finish = this.#finish
    this.#finish = undefined
    finish?.()
  }

  #fail(): void {
    this.hasFailed = true
    this.#isBusy = false
    if (this.#isClosing) this.#end()
  }

  #writeAll(bytes: Buffer, position: number, done: () => void): void {
    write(this.#fd, bytes, 0, bytes.length, position, (error, count) => {
      if (error) return this.#fail()
      if (count < bytes.length) return this.#writeAll(bytes.subarray(count), position + count, done)
      done()
    })
  }
}
