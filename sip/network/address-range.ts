/** An address or CIDR range, compiled: the network's bits, and how many of them count. */
export interface AddressRange {
  readonly bytes: Uint8Array
  readonly prefixLength: number
}

/** 4 or 16 bytes of an IP literal; undefined when it is none. IPv4-mapped IPv6 gives the 4 bytes within. */
export function addressBytes(text: string): Uint8Array | undefined {
  if (!text.includes(':')) return ipv4Bytes(text)
  const bytes = ipv6Bytes(text)
  if (bytes?.subarray(0, 10).every(byte => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff)
    return bytes.slice(12)
  return bytes
}

function ipv4Bytes(text: string): Uint8Array | undefined {
  const value = ipv4Value(text)
  return value === undefined ? undefined : Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value)
}

/** Its four bytes as one number. */
function ipv4Value(text: string): number | undefined {
  let address = 0
  let part = 0
  let digits = 0
  let value = 0
  for (let at = 0; at <= text.length; at++) {
    const code = at === text.length ? 0x2e : text.charCodeAt(at)
    if (code !== 0x2e) {
      if (code < 0x30 || code > 0x39) return undefined
      value = value * 10 + code - 0x30
      digits++
      continue
    }
    if (digits === 0 || digits > 3 || value > 255 || part === 4) return undefined
    address = (address << 8) | value
    part++
    digits = 0
    value = 0
  }
  return part === 4 ? address : undefined
}

function ipv6Bytes(text: string): Uint8Array | undefined {
  const [bare = ''] = text.replace(/^\[|\]$/g, '').split('%')
  const halves = bare.split('::')
  if (halves.length > 2) return undefined
  const head = groupsOf(halves[0] ?? '')
  const tail = halves.length === 2 ? groupsOf(halves[1] ?? '') : []
  if (head === undefined || tail === undefined) return undefined
  const gap = 16 - head.length - tail.length
  if (halves.length === 2 ? gap < 2 : gap !== 0) return undefined
  const bytes = new Uint8Array(16)
  bytes.set(head)
  bytes.set(tail, 16 - tail.length)
  return bytes
}

function groupsOf(text: string): number[] | undefined {
  if (text === '') return []
  const bytes: number[] = []
  const groups = text.split(':')
  for (const [at, group] of groups.entries()) {
    if (at === groups.length - 1 && group.includes('.')) {
      const embedded = ipv4Bytes(group)
      if (embedded === undefined) return undefined
      bytes.push(...embedded)
    } else if (/^[0-9a-f]{1,4}$/i.test(group)) {
      const value = Number.parseInt(group, 16)
      bytes.push(value >> 8, value & 0xff)
    } else return undefined
  }
  return bytes.length > 16 ? undefined : bytes
}

/** `192.0.2.1`, `192.0.2.0/24`, `2001:db8::/32`; undefined when the text is neither address nor range. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [address = '', length, more] = text.trim().split('/')
  const bytes = addressBytes(address)
  if (bytes === undefined || more !== undefined) return undefined
  const most = bytes.length * 8
  if (length === undefined) return { bytes, prefixLength: most }
  if (!/^\d{1,3}$/.test(length) || Number(length) > most) return undefined
  return { bytes, prefixLength: Number(length) }
}

export function rangeHolds(range: AddressRange, address: Uint8Array): boolean {
  if (address.length !== range.bytes.length) return false
  for (let bit = 0; bit < range.prefixLength; bit += 8) {
    const mask = range.prefixLength - bit >= 8 ? 0xff : (0xff00 >> (range.prefixLength - bit)) & 0xff
    if (((address[bit >> 3]! ^ range.bytes[bit >> 3]!) & mask) !== 0) return false
  }
  return true
}

export const isAddress = (host: string): boolean =>
  host.includes(':') ? addressBytes(host) !== undefined : ipv4Value(host) !== undefined

/** Never a peer: unspecified, multicast and limited broadcast addresses. */
export function isForbiddenTarget(address: Uint8Array): boolean {
  const first = address[0] ?? 0
  if (address.length === 4) return first === 0 || first >= 224
  return first === 0xff || address.every(byte => byte === 0)
}

/** Loopback, link-local and private networks (RFC 1918, RFC 6598, RFC 4193). */
export function isPrivate(address: Uint8Array): boolean {
  const [first = 0, second = 0] = address
  if (address.length === 16)
    return (first & 0xfe) === 0xfc || (first === 0xfe && (second & 0xc0) === 0x80) || isLoopback6(address)
  return (
    first === 10 ||
    first === 127 ||
    (first === 172 && second >= 16 && second < 32) ||
    (first === 192 && second === 168) ||
    (first === 169 && second === 254) ||
    (first === 100 && second >= 64 && second < 128)
  )
}

const isLoopback6 = (address: Uint8Array): boolean =>
  address[15] === 1 && address.subarray(0, 15).every(byte => byte === 0)
