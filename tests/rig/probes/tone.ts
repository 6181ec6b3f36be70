/** A sine as 16-bit samples at 8 kHz. */
export function sine(frequencyHz: number, seconds: number, amplitude = 8000): Int16Array {
  const samples = new Int16Array(Math.round(seconds * 8000))
  for (let at = 0; at < samples.length; at++)
    samples[at] = Math.round(amplitude * Math.sin((2 * Math.PI * frequencyHz * at) / 8000))
  return samples
}

/** Speech-like noise that repeats nowhere: amplitude moves as syllables do. Seeded. */
export function babble(seconds: number, seed = 1): Int16Array {
  const samples = new Int16Array(Math.round(seconds * 8000))
  let state = seed >>> 0 || 1
  let smooth = 0
  for (let at = 0; at < samples.length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    smooth += ((state / 2 ** 31 - 1) * 12_000 - smooth) * 0.35
    samples[at] = Math.round(smooth * (0.55 + 0.45 * Math.sin((2 * Math.PI * 3 * at) / 8000)))
  }
  return samples
}

/** Power of one frequency against the whole, 0…1 (Goertzel). */
export function toneShare(samples: Int16Array, frequencyHz: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * frequencyHz) / 8000)
  let s1 = 0
  let s2 = 0
  let power = 0
  for (const sample of samples) {
    const s0 = sample + coefficient * s1 - s2
    s2 = s1
    s1 = s0
    power += sample * sample
  }
  const tone = (2 * (s1 * s1 + s2 * s2 - coefficient * s1 * s2)) / samples.length
  return power === 0 ? 0 : tone / power
}

/** A mono 16-bit WAV at 8 kHz. */
export function wavOf(samples: Int16Array, rateHz = 8000): Uint8Array {
  const bytes = Buffer.alloc(44 + samples.length * 2)
  bytes.write('RIFF', 0)
  bytes.writeUInt32LE(36 + samples.length * 2, 4)
  bytes.write('WAVEfmt ', 8)
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(rateHz, 24)
  bytes.writeUInt32LE(rateHz * 2, 28)
  bytes.writeUInt16LE(2, 32)
  bytes.writeUInt16LE(16, 34)
  bytes.write('data', 36)
  bytes.writeUInt32LE(samples.length * 2, 40)
  for (let at = 0; at < samples.length; at++) bytes.writeInt16LE(samples[at]!, 44 + at * 2)
  return bytes
}
