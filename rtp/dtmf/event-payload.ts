//  0                   1                   2                   3
// |     event     |E|R| volume    |          duration             |   RFC 4733 §2.3

export const eventPayloadLength = 4
/** The longest duration that a packet can state, in clock units; longer events go on in segments (§2.5.1.3). */
export const maxEventDuration = 0xffff

/** Digits by their event code (RFC 4733 §3.2, table 3). */
export const digitsByEvent = '0123456789*#ABCD'

/** The event code of a digit, either case; −1 for what is no digit. */
export const eventOfDigit = (digit: string): number =>
  digit.length === 1 ? digitsByEvent.indexOf(digit.toUpperCase()) : -1

/** The event code: 0 to 9, 10 = `*`, 11 = `#`, 12 to 15 = A to D. */
export const eventOf = (payload: Uint8Array, from: number): number => payload[from]!
/** Whether the event has ended: the last packet, sent three times. */
export const isEnd = (payload: Uint8Array, from: number): boolean => (payload[from + 1]! & 0x80) !== 0
/** Tone power in dBm0 with the sign dropped, 0–63. */
export const volumeOf = (payload: Uint8Array, from: number): number => payload[from + 1]! & 0x3f
/** How long the event has lasted, in units of the stream's clock. */
export const durationOf = (payload: Uint8Array, from: number): number => (payload[from + 2]! << 8) | payload[from + 3]!

/** Only the duration again. */
export const setDuration = (payload: Uint8Array, from: number, duration: number): void => {
  payload[from + 2] = duration >>> 8
  payload[from + 3] = duration
}

/**
 * Writes one event block (RFC 4733 §2.3); returns its length. `volume`: dBm0 without the sign, 0 to 63. `duration`: units
 * of the stream's clock.
 */
export const writeEvent = (
  into: Uint8Array,
  at: number,
  event: number,
  end: boolean,
  volume: number,
  duration: number,
): number => {
  into[at] = event
  into[at + 1] = (end ? 0x80 : 0) | (volume & 0x3f)
  into[at + 2] = duration >>> 8
  into[at + 3] = duration
  return eventPayloadLength
}
