import type { AudioCodec } from './codec.ts'
import { aLawOfLinear, aLawOfMuLaw, linearOfALaw, linearOfMuLaw, muLawOfALaw, muLawOfLinear } from './g711-tables.ts'

/** G.711 mu-law, payload type 0 (RFC 3551 §4.5.14): a byte a sample at 8,000 Hz. */
export const pcmu: AudioCodec = {
  name: 'PCMU',
  payloadType: 0,
  clockRate: 8000,
  sampleRate: 8000,
  encodeInto(into, at, pcm, from, count) {
    for (let i = 0; i < count; i++) into[at + i] = muLawOfLinear[(pcm[from + i]! >> 2) & 0x3fff]!
    return count
  },
  decodeInto(pcm, at, payload, from, length) {
    for (let i = 0; i < length; i++) pcm[at + i] = linearOfMuLaw[payload[from + i]!]!
    return length
  },
  samplesIn: (_payload, _from, length) => length,
}

/** G.711 A-law, payload type 8 (RFC 3551 §4.5.14): a byte a sample at 8,000 Hz. */
export const pcma: AudioCodec = {
  name: 'PCMA',
  payloadType: 8,
  clockRate: 8000,
  sampleRate: 8000,
  encodeInto(into, at, pcm, from, count) {
    for (let i = 0; i < count; i++) into[at + i] = aLawOfLinear[(pcm[from + i]! >> 4) & 0xfff]!
    return count
  },
  decodeInto(pcm, at, payload, from, length) {
    for (let i = 0; i < length; i++) pcm[at + i] = linearOfALaw[payload[from + i]!]!
    return length
  },
  samplesIn: (_payload, _from, length) => length,
}

/** The codes of the quietest positive step, for frames of silence. */
export const silenceOfPcmu = 0xff
export const silenceOfPcma = 0xd5

/** Turns `length` bytes of mu-law from `payload[from]` on into A-law at `into[at]` on; may be the same place. */
export const pcmuToPcmaInto = (
  into: Uint8Array,
  at: number,
  payload: Uint8Array,
  from: number,
  length: number,
): number => {
  for (let i = 0; i < length; i++) into[at + i] = aLawOfMuLaw[payload[from + i]!]!
  return length
}

/** Turns `length` bytes of A-law from `payload[from]` on into mu-law at `into[at]` on; may be the same place. */
export const pcmaToPcmuInto = (
  into: Uint8Array,
  at: number,
  payload: Uint8Array,
  from: number,
  length: number,
): number => {
  for (let i = 0; i < length; i++) into[at + i] = muLawOfALaw[payload[from + i]!]!
  return length
}
