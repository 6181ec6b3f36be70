import { pcmu } from '../../../rtp/index.ts'

/** µ-law of whole samples by the project's codec, which a test of its own holds against the ITU's sweep. */
export function encodePcmu(samples: Int16Array): Buffer {
  const out = new Uint8Array(samples.length)
  pcmu.encodeInto(out, 0, samples, 0, samples.length)
  return Buffer.from(out)
}

export function decodePcmu(bytes: Uint8Array): Int16Array {
  const out = new Int16Array(bytes.length)
  pcmu.decodeInto(out, 0, bytes, 0, bytes.length)
  return out
}
