import type { AudioCodecName } from './codec-name.ts'
import { silenceOfPcma, silenceOfPcmu } from './g711.ts'
import { opusSilence } from './opus.ts'

/** What fills frames of a codec that has a fixed number of bytes a millisecond. */
const silentByte: Readonly<Record<Exclude<AudioCodecName, 'opus'>, number>> = {
  PCMU: silenceOfPcmu,
  PCMA: silenceOfPcma,
  // The smallest difference upwards in both bands: any decoder settles within some ms, at a level that is none.
  G722: 0xff,
}

/** Fills a frame of `ptimeMs` at `into[at]` with silence that needs no coder. Returns its bytes. */
export const silenceInto = (into: Uint8Array, at: number, codec: AudioCodecName, ptimeMs: number): number => {
  if (codec === 'opus') {
    for (let i = 0; i < opusSilence.length; i++) into[at + i] = opusSilence[i]!
    return opusSilence.length
  }
  const length = 8 * ptimeMs
  into.fill(silentByte[codec], at, at + length)
  return length
}
