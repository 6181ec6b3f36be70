/** Counters of all browser legs of a thread, since it began. */
export interface BrowserCounters {
  links: number
  /** Valid checks. */
  iceChecks: number
  /** STUN for no session here, or without the right password. */
  iceDropped: number
  /** Media and handshakes from addresses that no valid check came from, and what is none of these. */
  strayDropped: number
  /** Handshake datagrams for which there was no room. */
  dtlsBusy: number
  dtlsConnected: number
  dtlsFailed: number
  /** Packets that were malformed, came twice, or were not authentic. */
  srtpMalformed: number
  srtpReplayed: number
  srtpForged: number
  /** Packets for a remote that cannot be reached yet, or no more. */
  unsent: number
}

export const browserCounters = (): BrowserCounters => ({
  links: 0,
  iceChecks: 0,
  iceDropped: 0,
  strayDropped: 0,
  dtlsBusy: 0,
  dtlsConnected: 0,
  dtlsFailed: 0,
  srtpMalformed: 0,
  srtpReplayed: 0,
  srtpForged: 0,
  unsent: 0,
})
