import {
  answerOffer,
  type Codec,
  type LocalMedia,
  type Negotiated,
  parseSdp,
  pcma,
  pcmu,
  readAnswer,
  type SessionDescription,
} from '../../../sip/index.ts'
import { wire } from '../bed/text.ts'

export const us: LocalMedia = {
  address: '192.0.2.1',
  port: 10000,
  codecs: [pcmu, pcma],
  telephoneEvent: 101,
  ptimeMs: 20,
  sessionId: '4711',
}

export const them: LocalMedia = { ...us, address: '192.0.2.2', port: 20000, telephoneEvent: 96, sessionId: '1' }

export const opus: Codec = { name: 'opus', rate: 48000, channels: 2, payloadType: 111, fmtp: 'useinbandfec=1' }

export const sdp = (from: string | Uint8Array): SessionDescription => {
  const result = parseSdp(from)
  if (!result.ok) throw new Error(`${result.reason} in line ${result.at}`)
  return result.value
}

/** An offer of theirs; `lines` follow the audio line. */
export const offered = (audio: string, ...lines: readonly string[]): SessionDescription =>
  sdp(wire('v=0', 'o=- 1 1 IN IP4 192.0.2.2', 's=-', 'c=IN IP4 192.0.2.2', 't=0 0', audio, ...lines))

export function answered(offer: SessionDescription, local: LocalMedia = us) {
  const result = answerOffer(offer, local)
  if (!result.ok) throw new Error(result.reason)
  return result.value
}

export function read(offer: SessionDescription, answer: SessionDescription): Negotiated {
  const result = readAnswer(offer, answer)
  if (!result.ok) throw new Error(result.reason)
  return result.value
}

export const reasonOf = (result: { readonly ok: true } | { readonly ok: false; readonly reason: string }): string =>
  result.ok ? 'ok' : result.reason
