import { boundedNumber } from '../grammar/token.ts'
import type { Attribute, MediaDescription, SessionDescription } from './session.ts'

/** The first attribute of that name: its value, '' for a property, undefined when there is none. */
export function attributeOf(attributes: readonly Attribute[], name: string): string | undefined {
  for (const attribute of attributes) if (attribute.name === name) return attribute.value ?? ''
  return undefined
}

/** From one side's own view (RFC 8866 §6.7). */
export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive'

const isDirection = (name: string): name is Direction =>
  name === 'sendrecv' || name === 'sendonly' || name === 'recvonly' || name === 'inactive'

const namesDirection = (attribute: Attribute): attribute is Attribute & { readonly name: Direction } =>
  isDirection(attribute.name)

/** Direction of the stream, else of the session, else `sendrecv`. */
export const directionOf = (session: SessionDescription, media: MediaDescription): Direction =>
  (media.attributes.find(namesDirection) ?? session.attributes.find(namesDirection))?.name ?? 'sendrecv'

export const directionFor = (send: boolean, receive: boolean): Direction =>
  send ? (receive ? 'sendrecv' : 'sendonly') : receive ? 'recvonly' : 'inactive'

export const sends = (direction: Direction): boolean => direction === 'sendrecv' || direction === 'sendonly'
export const receives = (direction: Direction): boolean => direction === 'sendrecv' || direction === 'recvonly'

/** A whole or broken number of milliseconds; undefined = none, zero or nonsense. */
function millisecondsOf(media: MediaDescription, name: string): number | undefined {
  const text = attributeOf(media.attributes, name)?.trim()
  if (text === undefined || !/^\d{1,5}(?:\.\d{1,3})?$/.test(text)) return undefined
  const ms = Number(text)
  return ms > 0 ? ms : undefined
}

/** `a=ptime` in ms: how long the audio of a packet should be; undefined when it is not there or no number. */
export const ptimeOf = (media: MediaDescription): number | undefined => millisecondsOf(media, 'ptime')
export const maxPtimeOf = (media: MediaDescription): number | undefined => millisecondsOf(media, 'maxptime')

export const hasRtcpMux = (media: MediaDescription): boolean => attributeOf(media.attributes, 'rtcp-mux') !== undefined

/**
 * Where RTCP goes (RFC 3605, RFC 5761), undefined = nowhere. The address of `a=rtcp` is left aside: RTCP goes to where
 * RTP goes, so that it cannot be pointed at a third party. `muxed`: both sides agreed on `a=rtcp-mux`; one alone must not
 * put RTCP on the port of RTP (RFC 5761 §5.1.1). Default: as the media description says.
 */
export function rtcpPortOf(media: MediaDescription, muxed = hasRtcpMux(media)): number | undefined {
  if (media.port === 0) return undefined
  if (muxed) return media.port
  const named = boundedNumber(attributeOf(media.attributes, 'rtcp')?.trim().split(/\s+/, 1)[0] ?? '', 65535)
  if (named !== undefined && named !== 0) return named
  return media.port < 65535 ? media.port + 1 : undefined
}
