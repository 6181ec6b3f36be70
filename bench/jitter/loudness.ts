/** Upper edges of the critical bands in Hz (Zwicker), as far as 8 kHz. */
const bandEdges = [
  100, 200, 300, 400, 510, 630, 770, 920, 1080, 1270, 1480, 1720, 2000, 2320, 2700, 3150, 3700, 4400, 5300, 6400, 7700,
]
const windowMs = 32
/** Loudness grows with this power of intensity (Zwicker's law). */
const growth = 0.23
/** A full-scale sine has this level; sound below the second in a band is inaudible. */
const fullScaleDb = 96
const thresholdDb = 30

/** Loudness of each critical band, frame after frame. */
export interface LoudnessLine {
  readonly frames: number
  readonly bands: number
  /** `bands` numbers a frame. */
  readonly values: Float32Array
  /** The sum of each frame's bands. */
  readonly totals: Float32Array
}

/** What an ear would make of sound, roughly: spectra of 20 ms every `hopMs`, in critical bands, compressed. */
export function loudnessOf(pcm: Int16Array, sampleRate: 8000 | 16_000, hopMs: number): LoudnessLine {
  const size = (windowMs * sampleRate) / 1000
  const points = sampleRate === 8000 ? 256 : 512
  const hop = (hopMs * sampleRate) / 1000
  const bands = bandEdges.filter(edge => edge <= sampleRate / 2).length
  const bandOf = Int8Array.from({ length: points / 2 }, (_, bin) => {
    const band = bandEdges.findIndex(edge => (bin * sampleRate) / points < edge)
    return bin === 0 || band >= bands ? -1 : band
  })
  const window = Float64Array.from({ length: size }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / size))
  // So that a full-scale sine has the power of `fullScaleDb`.
  const scale = 10 ** (fullScaleDb / 10) / ((32_768 * size) / 4) ** 2
  const floor = 10 ** ((thresholdDb * growth) / 10)
  const frames = Math.max(0, Math.floor((pcm.length - size) / hop) + 1)
  const values = new Float32Array(frames * bands)
  const totals = new Float32Array(frames)
  const re = new Float64Array(points)
  const im = new Float64Array(points)
  const powers = new Float64Array(bands)
  for (let frame = 0; frame < frames; frame++) {
    re.fill(0)
    im.fill(0)
    for (let i = 0; i < size; i++) re[i] = window[i]! * pcm[frame * hop + i]!
    transform(re, im)
    powers.fill(0)
    for (let bin = 0; bin < points / 2; bin++) {
      const band = bandOf[bin]!
      if (band >= 0) powers[band]! += scale * (re[bin]! ** 2 + im[bin]! ** 2)
    }
    for (let band = 0; band < bands; band++) {
      const loudness = Math.max(0, powers[band]! ** growth - floor)
      values[frame * bands + band] = loudness
      totals[frame]! += loudness
    }
  }
  return { frames, bands, values, totals }
}

/** A fast Fourier transform in place; the length is a power of two. */
function transform(re: Float64Array, im: Float64Array): void {
  const n = re.length
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1
    for (; j & bit; bit >>= 1) j ^= bit
    j ^= bit
    if (i >= j) continue
    ;[re[i], re[j]] = [re[j]!, re[i]!]
    ;[im[i], im[j]] = [im[j]!, im[i]!]
  }
  for (let length = 2; length <= n; length <<= 1) {
    const half = length >> 1
    for (let k = 0; k < half; k++) {
      const cos = Math.cos((2 * Math.PI * k) / length)
      const sin = -Math.sin((2 * Math.PI * k) / length)
      for (let i = k; i < n; i += length) {
        const x = re[i + half]! * cos - im[i + half]! * sin
        const y = re[i + half]! * sin + im[i + half]! * cos
        re[i + half] = re[i]! - x
        im[i + half] = im[i]! - y
        re[i]! += x
        im[i]! += y
      }
    }
  }
}
