import { codecsOf } from '../../../sip/index.ts'
import { type CodecName, codecNamed } from '../../model/trunk.ts'
import { readSdp } from './leg-sdp.ts'

/** Codecs of an offer's audio that media supports, in the offer's order; empty when the offer cannot be read. */
export const codecsIn = (offer: string): readonly CodecName[] => {
  const audio = readSdp(offer)?.media.find(({ media, port }) => media.toLowerCase() === 'audio' && port !== 0)
  return audio === undefined ? [] : codecsOf(audio).flatMap(({ name }) => codecNamed(name) ?? [])
}
