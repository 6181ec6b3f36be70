import { codecsOf } from '../../../sip/index.ts'
import type { CodecName } from '../../model/trunk.ts'
import { isCodecName, readSdp } from './leg-sdp.ts'

/** Codecs of an offer's audio that media supports, in the offer's order; empty when the offer cannot be read. */
export const codecsIn = (offer: string): readonly CodecName[] => {
  const audio = readSdp(offer)?.media.find(({ media, port }) => media.toLowerCase() === 'audio' && port !== 0)
  return audio === undefined ? [] : codecsOf(audio).flatMap(({ name }) => nameOf(name))
}

/** Names of encodings are not case-sensitive (RFC 4855 §3). */
const nameOf = (name: string): readonly CodecName[] => {
  const upper = name.toUpperCase()
  const known = upper === 'OPUS' ? 'opus' : upper
  return isCodecName(known) ? [known] : []
}
