/** What a RIFF/WAVE file holds, as far as its length is concerned. */
export type WavFacts =
  | { readonly ok: true; readonly sampleRate: number; readonly channels: number; readonly frames: number }
  | { readonly ok: false; readonly detail: string }

const maxChunks = 1000
const pcm = 1
const aLaw = 6
const muLaw = 7
const extensible = 0xfffe

/** Bits that a sample may have, by format. */
const bitsOf: ReadonlyMap<number, readonly number[]> = new Map([
  [pcm, [16]],
  [aLaw, [8]],
  [muLaw, [8]],
])

interface Format {
  readonly sampleRate: number
  readonly channels: number
  readonly bytesPerFrame: number
}

/** Reads the chunks up to `data`. A length of 0 or more than the file holds, as a crash leaves it, is the file's. */
export function readWavFacts(bytes: Uint8Array): WavFacts {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 12 || tagAt(view, 0) !== 'RIFF' || tagAt(view, 8) !== 'WAVE') return fault('it is no WAV file')
  const unfinished = view.getUint32(4, true) === 0
  let format: Format | undefined
  let at = 12
  for (let chunk = 0; chunk < maxChunks && at + 8 <= bytes.length; chunk++) {
    const tag = tagAt(view, at)
    const size = view.getUint32(at + 4, true)
    const body = at + 8
    if (tag === 'data') {
      if (format === undefined) return fault('its audio comes before its format')
      const left = bytes.length - body
      const length = size > left || (size === 0 && unfinished) ? left : size
      const frames = Math.floor(length / format.bytesPerFrame)
      return frames === 0
        ? fault('it holds no audio')
        : { ok: true, sampleRate: format.sampleRate, channels: format.channels, frames }
    }
    if (body + size > bytes.length) return fault(`its chunk at byte ${at} is longer than the file`)
    if (tag === 'fmt ') {
      const read = readFormat(view, body, size)
      if (typeof read === 'string') return fault(read)
      format = read
    }
    at = body + size + (size & 1)
  }
  return fault(format === undefined ? 'it has no format' : 'it holds no audio')
}

const fault = (detail: string): WavFacts => ({ ok: false, detail })

function readFormat(view: DataView, at: number, size: number): Format | string {
  if (size < 16) return 'its format is cut short'
  const tag = view.getUint16(at, true)
  // WAVE_FORMAT_EXTENSIBLE: the format is the first half of a GUID.
  const code = tag === extensible && size >= 40 ? view.getUint16(at + 24, true) : tag
  const channels = view.getUint16(at + 2, true)
  const sampleRate = view.getUint32(at + 4, true)
  const bits = view.getUint16(at + 14, true)
  if (bitsOf.get(code)?.includes(bits) !== true) return `format ${code} of ${bits} bits is not played`
  if (channels < 1 || channels > 2) return `${channels} channels are not played`
  if (sampleRate < 8000 || sampleRate > 48_000) return `${sampleRate} Hz are not played`
  return { sampleRate, channels, bytesPerFrame: (bits / 8) * channels }
}

const tagAt = (view: DataView, at: number): string =>
  String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3))
