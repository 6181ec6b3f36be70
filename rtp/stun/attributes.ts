/** RFC 8489 §18.3, RFC 8445 §16.1. Those below 0x8000 must be understood by who takes a request. */
export const stunAttributes = {
  mappedAddress: 0x0001,
  username: 0x0006,
  messageIntegrity: 0x0008,
  errorCode: 0x0009,
  unknownAttributes: 0x000a,
  realm: 0x0014,
  nonce: 0x0015,
  xorMappedAddress: 0x0020,
  priority: 0x0024,
  useCandidate: 0x0025,
  software: 0x8022,
  fingerprint: 0x8028,
  iceControlled: 0x8029,
  iceControlling: 0x802a,
} as const

const known: ReadonlySet<number> = new Set(Object.values(stunAttributes))

/** True for an attribute that a message may not carry unless we know it. */
export const isUnknownRequired = (type: number): boolean => type < 0x8000 && !known.has(type)

export const fingerprintXor = 0x5354_554e
export const magicCookie = 0x2112_a442
export const stunHeaderLength = 20
export const integrityLength = 20
export const attributeHeaderLength = 4
