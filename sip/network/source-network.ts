import { addressBytes } from './address-range.ts'

/** A subscriber of IPv6 has a whole /64 at hand: it counts as one source. */
const ownBits6 = 64
/** Neighbours, who may be one attacker. */
const neighbourBits = { 4: 24, 16: 56 } as const

/** What limits of one source are counted by: the address, for IPv6 its /64. */
export function sourceKey(address: string): string {
  if (!address.includes(':')) return address
  const bytes = addressBytes(address)
  return bytes === undefined || bytes.length === 4 ? address : `${hex(bytes, ownBits6)}/${ownBits6}`
}

/** The network of a source that limits count besides: /24, for IPv6 /56. */
export function neighbourhoodKey(address: string): string {
  const bytes = addressBytes(address)
  if (bytes === undefined) return address
  const bits = neighbourBits[bytes.length === 4 ? 4 : 16]
  return `${hex(bytes, bits)}/${bits}`
}

const hex = (bytes: Uint8Array, bits: number): string => {
  let text = ''
  for (let at = 0; at < bits / 8; at++) text += (bytes[at]! + 0x100).toString(16).slice(1)
  return text
}
