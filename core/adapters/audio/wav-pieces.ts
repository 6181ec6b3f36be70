import { parseWav } from '../../../rtp/index.ts'
import type { ChildFault } from './child-output.ts'
import type { ChildStream } from './child-stream.ts'
import { SpeechFault, type SpokenPiece } from './speech-engine.ts'
import { faultOfRate, pcmOf } from './spoken-wav.ts'

/** Bytes in which a head is searched. */
const maxHeadBytes = 64 * 1024

/** The WAV that a program writes, in pieces of samples as they come. */
export class WavPieces {
  readonly #stream: ChildStream
  #sampleRate: number | undefined
  #chunks: Uint8Array[] = []
  #length = 0
  /** Bytes of samples that the head promises and that are still to come. */
  #left = Infinity
  #skip = 0
  #hasEnded = false
  #isEmpty = true
  /** The WAV has another format than engines give: it is converted once it is complete. */
  #isOther = false

  constructor(stream: ChildStream) {
    this.#stream = stream
  }

  /** Skips this many bytes of samples. */
  skip(bytes: number): void {
    this.#skip = bytes
    if (bytes > 0) this.#isEmpty = false
  }

  /** The next piece of this length, or less at the end. Throws a `SpeechFault` when it is no speech. */
  async next(seconds: number): Promise<SpokenPiece | ChildFault> {
    for (;;) {
      const wanted = this.#sampleRate === undefined ? Infinity : this.#skip + Math.ceil(2 * seconds * this.#sampleRate)
      if (this.#hasEnded || this.#length >= Math.min(wanted, this.#left)) return this.#piece()
      const chunk = await this.#stream.read()
      if (chunk !== undefined && 'ok' in chunk) return chunk
      if (chunk === undefined) this.#hasEnded = true
      else {
        this.#chunks.push(chunk)
        this.#length += chunk.length
      }
      if (this.#sampleRate === undefined && (!this.#isOther || this.#hasEnded)) this.#readHead()
    }
  }

  close(): void {
    this.#stream.close()
  }

  #readHead(): void {
    const bytes = Buffer.concat(this.#chunks, this.#length)
    const parsed = parseWav(bytes, Number.MAX_SAFE_INTEGER)
    if (!parsed.ok) {
      const mayCome = parsed.reason === 'truncated' || (bytes.length < 12 && parsed.reason === 'not-wav')
      if (mayCome && !this.#hasEnded && bytes.length < maxHeadBytes) return
      throw new SpeechFault(`the engine gave no WAV that can be read (${parsed.reason})`)
    }
    const { encoding, channels, sampleRate, dataFrom, dataLength } = parsed.value
    const fault = faultOfRate(sampleRate)
    if (fault !== undefined) throw fault
    this.#isOther = encoding !== 'pcm16' || channels !== 1
    if (this.#isOther && !this.#hasEnded) return
    this.#sampleRate = sampleRate
    if (!this.#isOther) this.#left = dataLength
    this.#take(this.#isOther ? pcmOf(bytes).pcm : bytes.subarray(dataFrom))
  }

  #take(pcm: Uint8Array): void {
    this.#chunks = [pcm]
    this.#length = pcm.length
  }

  #piece(): SpokenPiece {
    const all = Buffer.concat(this.#chunks, this.#length)
    const whole = Math.min(all.length & ~1, this.#left)
    const isLast = this.#hasEnded || whole === this.#left
    const pcm = all.subarray(Math.min(this.#skip, whole), whole)
    this.#skip = 0
    this.#left -= whole
    this.#take(all.subarray(whole))
    if (pcm.length > 0) this.#isEmpty = false
    if (isLast && this.#isEmpty) throw new SpeechFault('the engine gave no audio', true)
    return { pcm, sampleRate: this.#sampleRate ?? 0, isLast }
  }
}
