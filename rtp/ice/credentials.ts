/** Credentials of one side, for one run of ICE (RFC 8839 §5.4). */
export interface IceCredentials {
  readonly ufrag: string
  readonly password: string
}

/** RFC 8445 §5.3: at least 24 bits and 128 bits of randomness. Ours have 48 and 144. */
const ufragBytes = 6
const passwordBytes = 18
const iceCharacters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** `randomBytes`: not to be guessed. */
export const iceCredentials = (randomBytes: (length: number) => Uint8Array): IceCredentials => ({
  ufrag: iceText(randomBytes(ufragBytes)),
  password: iceText(randomBytes(passwordBytes)),
})

/** Six bits a character; `bytes` in threes. */
const iceText = (bytes: Uint8Array): string => {
  let text = ''
  for (let i = 0; i + 2 < bytes.length; i += 3) {
    const bits = (bytes[i]! << 16) | (bytes[i + 1]! << 8) | bytes[i + 2]!
    for (let shift = 18; shift >= 0; shift -= 6) text += iceCharacters[(bits >> shift) & 63]!
  }
  return text
}
