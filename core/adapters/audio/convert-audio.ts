/**
 * Turns an MP3 or Ogg Opus file, by standard input, into a mono WAV at the path of its only argument, or just reports
 * whether that can be done. A program of its own, started as a child: decoding takes long, its memory is bounded, a file
 * that breaks it breaks nothing else, and libmpg123 inside it is LGPL. Standard output: a `ConversionReport` in JSON.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { MPEGDecoder } from 'mpg123-decoder'
import { id3LengthOf, type OggFault, type OggOpus, Resampler, readOggOpus, wavHeader } from '../../../rtp/index.ts'
import { LibOpus } from '../../../rtp/io/index.ts'
import { giveWay } from '../system/thread-niceness.ts'
import type { ConversionReport } from './audio-converter.ts'
import type { AudioFault } from './audio-fault.ts'
import { kindOfAudio } from './audio-kind.ts'
import type { AudioSentence } from './audio-sentences.ts'
import { isFreeFormat } from './mp3-frames.ts'
import { OggDecoder } from './ogg-decoder.ts'

/** Calls come first. */
const niceness = 10
/** More is not made of any file: what a telephone can let through, and somewhat more. */
const maxRate = 24_000
const maxSeconds = 3600
const sliceBytes = 64 * 1024
const frameMs = 120
/** Chained in one Ogg. */
const maxLinks = 64
/** Samples of a frame of MP3, and the share of frames that may be broken. */
const mp3Frame = 1152
const tolerated = 1 / 20

class Unplayable extends Error {
  readonly code: AudioFault['code']

  constructor(code: AudioFault['code'], detail: AudioSentence) {
    super(detail)
    this.code = code
  }
}
const tooLong = () => new Unplayable('PLAY.0413', 'it lasts longer than an hour')

/** Samples on their way into the file; counted only when there is none. */
class WavOutput {
  readonly #path: string | undefined
  #file = -1
  #rate = 0
  #samples = 0

  constructor(path: string | undefined) {
    this.#path = path
  }

  get durationMs(): number {
    return this.#rate === 0 ? 0 : (this.#samples / this.#rate) * 1000
  }

  write(pcm: Int16Array, count: number, rate: number): void {
    this.#rate = rate
    this.#samples += count
    if (this.#samples > maxSeconds * rate) throw tooLong()
    if (this.#path === undefined || count === 0) return
    if (this.#file < 0) {
      this.#file = openSync(this.#path, 'w', 0o600)
      writeSync(this.#file, this.#header)
    }
    writeSync(this.#file, new Uint8Array(pcm.buffer, pcm.byteOffset, 2 * count))
  }

  /** The header gets the final length. */
  end(): void {
    if (this.#file < 0) return
    writeSync(this.#file, this.#header, 0, this.#header.length, 0)
    closeSync(this.#file)
  }

  get #header(): Uint8Array {
    return wavHeader({ encoding: 'pcm16', sampleRate: this.#rate, channels: 1 }, 2 * this.#samples)
  }
}

async function fromMp3(bytes: Uint8Array, output: WavOutput): Promise<void> {
  if (isFreeFormat(bytes.subarray(id3LengthOf(bytes)))) {
    throw new Unplayable('PLAY.0415', 'the MP3 is in free format, without a bit rate of the standard')
  }
  const decoder = new MPEGDecoder()
  await decoder.ready
  let resampler: Resampler | undefined
  let fromRate = 0
  let pcm = new Int16Array(0)
  let resampled = new Int16Array(0)
  let broken = 0
  let samples = 0
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    const { channelData, samplesDecoded, sampleRate, errors } = decoder.decode(bytes.subarray(at, at + sliceBytes))
    broken += errors.length
    samples += samplesDecoded
    if (broken > 2 + (samples / mp3Frame) * tolerated) throw new Unplayable('PLAY.0400', 'the MP3 is damaged')
    if (samplesDecoded === 0) continue
    if (sampleRate < 8000 || sampleRate > 48_000) throw new Unplayable('PLAY.0400', `the MP3 says ${sampleRate} Hz`)
    if (resampler === undefined) {
      fromRate = sampleRate
      resampler = new Resampler(fromRate, Math.min(fromRate, maxRate))
    } else if (sampleRate !== fromRate) throw new Unplayable('PLAY.0400', 'the MP3 changes its rate')
    if (pcm.length < samplesDecoded) {
      pcm = new Int16Array(samplesDecoded)
      resampled = new Int16Array(resampler.roomFor(samplesDecoded))
    }
    mixInto(pcm, channelData, samplesDecoded)
    output.write(resampled, resampler.pushInto(resampled, 0, pcm, 0, samplesDecoded), Math.min(fromRate, maxRate))
  }
  if (resampler === undefined) throw new Unplayable('PLAY.0400', 'the MP3 holds no audio')
  const rest = new Int16Array(resampler.roomFor(0))
  output.write(rest, resampler.flushInto(rest, 0), Math.min(fromRate, maxRate))
}

const mixInto = (pcm: Int16Array, channels: readonly Float32Array[], count: number): void => {
  for (let i = 0; i < count; i++) {
    let sum = 0
    for (const channel of channels) sum += channel[i] ?? 0
    pcm[i] = Math.max(-32_768, Math.min(32_767, Math.round((32_767 * sum) / channels.length))) || 0
  }
}

const oggFaults: Readonly<Record<OggFault, Unplayable>> = {
  'not-ogg': new Unplayable('PLAY.0415', 'it is no Ogg'),
  'not-opus': new Unplayable('PLAY.0415', 'the Ogg holds something other than Opus'),
  unsupported: new Unplayable(
    'PLAY.0415',
    'the Opus in the Ogg is of a version or an order of channels that is not played',
  ),
  truncated: new Unplayable('PLAY.0400', 'the Ogg ends before its stream does'),
  'bad-page': new Unplayable('PLAY.0400', 'the pages of the Ogg are damaged'),
  'bad-head': new Unplayable('PLAY.0400', 'the head of the Opus stream is damaged'),
  'bad-packet': new Unplayable('PLAY.0400', 'a packet in the Ogg is not Opus'),
  'too-long': tooLong(),
}

const opus = new LibOpus()

/** Streams that are chained one after another sound so (RFC 3533 §4), up to the first that cannot be played. */
async function fromOgg(bytes: Uint8Array, output: WavOutput): Promise<void> {
  let most = maxSeconds * 48_000
  let rest = bytes
  for (let links = 0; links < maxLinks && rest.length > 0; links++) {
    const parsed = readOggOpus(rest, most)
    if (!parsed.ok) {
      if (links === 0 || parsed.reason === 'too-long') throw oggFaults[parsed.reason]
      return
    }
    if (links === 0 && parsed.value.units === 0) throw new Unplayable('PLAY.0400', 'the Ogg holds no audio')
    await fromStream(parsed.value, output)
    most -= parsed.value.units
    rest = rest.subarray(parsed.value.end)
  }
}

async function fromStream(stream: OggOpus, output: WavOutput): Promise<void> {
  const { packets, payload, gaps, preSkip, gainDb, units } = stream
  const decoder = await OggDecoder.open(opus, stream.shares, maxRate)
  const pcm = new Int16Array((frameMs * maxRate) / 1000)
  const gain = 10 ** (gainDb / 20)
  let skip = Math.round((preSkip * maxRate) / 48_000)
  let left = Math.round((units * maxRate) / 48_000)
  const write = (count: number) => {
    const skipped = Math.min(skip, count)
    skip -= skipped
    const written = Math.min(left, count - skipped)
    left -= written
    for (let i = 0; i < written; i++) {
      pcm[i] = Math.max(-32_768, Math.min(32_767, Math.round(pcm[skipped + i]! * gain)))
    }
    output.write(pcm, written, maxRate)
  }
  let gap = 0
  for (const [at, [from, end]] of packets.entries()) {
    if (gaps[gap]?.before === at) {
      let missing = Math.round((gaps[gap++]!.units * maxRate) / 48_000)
      for (let done = 0; missing > 0; done++) {
        const count = Math.min(missing, pcm.length)
        // Concealment from earlier audio holds for a moment only.
        if (done === 0) decoder.concealInto(pcm, count)
        else pcm.fill(0)
        write(count)
        missing -= count
      }
    }
    const count = decoder.decodeInto(pcm, payload, from, end)
    if (count === 0) throw oggFaults['bad-packet']
    write(count)
  }
}

async function readInput(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  return new Uint8Array(Buffer.concat(chunks))
}

async function convert(path: string | undefined): Promise<ConversionReport> {
  const bytes = await readInput()
  const output = new WavOutput(path)
  const kind = kindOfAudio(bytes)
  try {
    if (kind === 'mp3') await fromMp3(bytes, output)
    else if (kind === 'ogg') await fromOgg(bytes.subarray(id3LengthOf(bytes)), output)
    else throw new Unplayable('PLAY.0415', 'it is neither MP3 nor Ogg')
    output.end()
  } catch (error) {
    if (error instanceof Unplayable) return { ok: false, code: error.code, detail: error.message }
    const detail = error instanceof Error ? error.message : String(error)
    return { ok: false, code: 'PLAY.0400', detail: detail.slice(0, 200) }
  }
  if (output.durationMs === 0) return { ok: false, code: 'PLAY.0400', detail: 'it holds no audio' }
  return { ok: true, durationMs: output.durationMs }
}

giveWay(niceness)
const report = await convert(process.argv[2])
process.stdout.write(JSON.stringify(report), () => process.exit(0))
