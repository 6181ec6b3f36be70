import { closeSync, fsyncSync, ftruncateSync, openSync, readSync, renameSync, writeSync } from 'node:fs'
import { type OpusCoders, type OpusEncoder, opusFrameMs } from '../codec/opus.ts'
import { lastOpusPage, OpusPages, oggPageLength } from '../ogg/opus-pages.ts'
import { delimitInto } from '../ogg/self-delimited.ts'
import { oggMaxPageLength } from '../ogg/write-page.ts'

export type RecordedRate = 8000 | 16_000

/** Bits a second of a channel: no audible loss in a telephone's band. */
const bitrates: Readonly<Record<RecordedRate, number>> = { 8000: 24_000, 16000: 32_000 }
/** Opus counts in 48,000ths of a second, whatever went in (RFC 7845 §4). */
const opusRate = 48_000
/** Lookahead of libopus for any signal, 6.5 ms: the output is later than the input by this. */
const oggPreSkip = 312
const longestPacket = 1275
const longestDelimited = longestPacket + 2

/**
 * A file of Ogg Opus that can be opened at every instant: it only ever grows by whole pages. What it ends with is reported in
 * the end, and then it is cut there to the sample. Everything here waits for the disk: it belongs on a thread of its own.
 */
export class OggFile {
  readonly #fd: number
  readonly #channels: 1 | 2
  readonly #unitsPerFrame: number
  readonly #encoders: readonly OpusEncoder[]
  readonly #pages: OpusPages
  /** Samples of each channel that wait for a whole frame. */
  readonly #frames: readonly Int16Array[]
  #filled = 0
  readonly #packet = new Uint8Array(longestPacket)
  readonly #joined = new Uint8Array(longestDelimited + longestPacket)
  #length = 0
  #isClosed = false
  /** Where each page of sound begins in the file, and where in time it ends. */
  readonly #pageFrom: number[] = []
  readonly #pageEnd: number[] = []

  private constructor(path: string, channels: 1 | 2, rate: RecordedRate, encoders: readonly OpusEncoder[]) {
    this.#channels = channels
    this.#unitsPerFrame = opusRate / rate
    this.#encoders = encoders
    this.#frames = encoders.map(() => new Int16Array((opusFrameMs * rate) / 1000))
    this.#pages = new OpusPages(Math.floor(Math.random() * 0x1_0000_0000))
    // Under its name there is never a file without a head.
    const unnamed = `${path}.new`
    this.#fd = openSync(unnamed, 'w+', 0o640)
    this.#append(this.#pages.head({ channels, preSkip: oggPreSkip, inputRate: rate }))
    renameSync(unnamed, path)
  }

  /** Makes the file, or empties it. Rejects when the disk refuses, or when there is no memory for an encoder. */
  static async open(path: string, channels: 1 | 2, rate: RecordedRate, opus: OpusCoders): Promise<OggFile> {
    const settings = { sampleRate: rate, bitrate: bitrates[rate], fec: false, dtx: false, anySound: true } as const
    const encoders: OpusEncoder[] = []
    try {
      while (encoders.length < channels) {
        const encoder = await new Promise<OpusEncoder | undefined>(resolve => opus.encoder(settings, resolve))
        if (encoder === undefined) throw new Error('no memory for an encoder of Opus')
        encoders.push(encoder)
      }
      return new OggFile(path, channels, rate, encoders)
    } catch (error) {
      for (const encoder of encoders) encoder.free()
      throw error
    }
  }

  /** Appends `count` samples from `pcm[0]` on; of two channels they take turns. Throws when the disk refuses. */
  write(pcm: Int16Array, count: number): void {
    const channels = this.#channels
    const [left, right] = this.#frames
    for (let i = 0; i < count; i += channels) {
      left![this.#filled] = pcm[i]!
      if (channels === 2) right![this.#filled] = pcm[i + 1]!
      if (++this.#filled === left!.length) this.#encode()
    }
    this.#takePage()
  }

  /** Keeps the first `samples` of all channels together. Returns the file's size. Throws when the disk refuses. */
  finish(samples: number): number {
    const end = oggPreSkip + Math.floor(samples / this.#channels) * this.#unitsPerFrame
    // What the encoder still holds comes out after silence; and a stream has at least one packet.
    while (this.#pages.position < end || this.#pages.position === 0) {
      for (const frame of this.#frames) frame.fill(0, this.#filled)
      this.#encode()
    }
    this.#takePage()
    this.#cut(end)
    fsyncSync(this.#fd)
    return this.#length
  }

  /** Idempotent. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const encoder of this.#encoders) encoder.free()
    closeSync(this.#fd)
  }

  #encode(): void {
    this.#filled = 0
    let length = 0
    for (const [channel, encoder] of this.#encoders.entries()) {
      const frame = this.#frames[channel]!
      const bytes = encoder.encodeInto(this.#packet, 0, frame, 0, frame.length)
      if (bytes === 0) throw new Error('Opus could not encode')
      if (channel + 1 < this.#channels) length = delimitInto(this.#joined, 0, this.#packet, bytes)
      else {
        this.#joined.set(this.#packet.subarray(0, bytes), length)
        length += bytes
      }
    }
    if (!this.#pages.hasRoom(length)) this.#takePage()
    this.#pages.add(this.#joined, length)
  }

  #takePage(): void {
    const page = this.#pages.take()
    if (page === undefined) return
    this.#pageFrom.push(this.#length)
    this.#pageEnd.push(this.#pages.position)
    this.#append(page)
  }

  /** The page in which the end lies becomes the last one. */
  #cut(end: number): void {
    let last = this.#pageEnd.length - 1
    while (last > 0 && this.#pageEnd[last - 1]! >= end) last--
    const from = this.#pageFrom[last]!
    const bytes = new Uint8Array(Math.min(oggMaxPageLength, this.#length - from))
    readSync(this.#fd, bytes, 0, bytes.length, from)
    const page = bytes.subarray(0, oggPageLength(bytes, 0))
    // Truncates first: a kill between the two leaves whole pages.
    ftruncateSync(this.#fd, from)
    this.#length = from
    this.#append(lastOpusPage(page, last === 0 ? 0 : this.#pageEnd[last - 1]!, end))
  }

  #append(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      at += writeSync(this.#fd, bytes, at, bytes.length - at, this.#length + at)
    }
    this.#length += bytes.length
  }
}
