/** Seconds from 1900 to 1970 (RFC 3550 §4). */
const unixInNtp = 2_208_988_800

/** An NTP time: seconds since 1900 modulo 2³², and their fraction in 1/2³². */
export const ntpSecondsOf = (unixMs: number): number => (Math.floor(unixMs / 1000) + unixInNtp) >>> 0
/** The fraction of an NTP time of a Unix time in ms, in 1/2³² s. */
export const ntpFractionOf = (unixMs: number): number =>
  Math.floor(((unixMs - 1000 * Math.floor(unixMs / 1000)) / 1000) * 0x1_0000_0000)

/** The middle 32 bits of an NTP time: 1/65536 s, over again every 18 hours. */
export const middleOf = (ntpSeconds: number, ntpFraction: number): number =>
  ((ntpSeconds << 16) | (ntpFraction >>> 16)) >>> 0

/** How long ago in 1/65536 s (RFC 3550 §6.4.1, DLSR); undefined where 32 bits cannot hold it, after 18 hours. */
export const unitsAgoOf = (ms: number): number | undefined => {
  const units = Math.round(ms * 65.536)
  return units > 0xffff_ffff ? undefined : Math.max(0, units)
}

/** A longer round trip in a report is not believed. */
const maxRoundTripMs = 30_000

/**
 * The round-trip time (RFC 3550 §6.4.1, figure 2) by a report about us that came at `arrival`, the middle 32
 * bits of our NTP time; undefined when it names no sender report of ours, or no possible time.
 */
export const roundTripMs = (lastSr: number, delaySinceLastSr: number, arrival: number): number | undefined => {
  if (lastSr === 0) return undefined
  const units = (arrival - lastSr - delaySinceLastSr) | 0
  const ms = (units * 1000) / 65_536
  // The remote's clock may run a little fast.
  if (ms < -50 || ms > maxRoundTripMs) return undefined
  return Math.max(0, ms)
}
