/** Protection profiles by their names in RFC 5764 §4.1.2, RFC 7714 §14.2 and SDES (RFC 4568 §6.2). */
export type SrtpProfile = 'AES_CM_128_HMAC_SHA1_80' | 'AES_CM_128_HMAC_SHA1_32' | 'AEAD_AES_128_GCM'

/** The lengths that belong to a protection profile, in bytes. */
export interface SrtpFacts {
  /** Length of the master key, bytes. */
  readonly keyLength: number
  readonly saltLength: number
  /** What a packet grows by. SRTCP also carries its index, four bytes. */
  readonly rtpTagLength: number
  readonly rtcpTagLength: number
  /** In DTLS' use_srtp. */
  readonly dtlsId: number
}

/** The lengths of each profile. */
export const srtpFacts: Readonly<Record<SrtpProfile, SrtpFacts>> = {
  AES_CM_128_HMAC_SHA1_80: { keyLength: 16, saltLength: 14, rtpTagLength: 10, rtcpTagLength: 10, dtlsId: 1 },
  // RFC 5764 §4.1.2: SRTCP keeps the long tag.
  AES_CM_128_HMAC_SHA1_32: { keyLength: 16, saltLength: 14, rtpTagLength: 4, rtcpTagLength: 10, dtlsId: 2 },
  AEAD_AES_128_GCM: { keyLength: 16, saltLength: 12, rtpTagLength: 16, rtcpTagLength: 16, dtlsId: 7 },
}

/** One direction's master key and salt. */
export interface SrtpKeys {
  readonly profile: SrtpProfile
  readonly key: Uint8Array
  readonly salt: Uint8Array
}

/** SRTCP: the E bit and the index after the packet (RFC 3711 §3.4). */
export const srtcpIndexLength = 4
/** No packet of ours grows by more. */
export const mostSrtpOverhead = 16 + srtcpIndexLength
