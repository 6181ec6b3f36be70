/** A record holds the place of its transport here: add at the end only. */
const transports = ['udp', 'tcp', 'tls', 'ws', 'wss'] as const

/** Where a message went or came from, as a flow of the transport says. */
export interface SipAddresses {
  readonly transport: (typeof transports)[number]
  readonly address: string
  readonly port: number | undefined
  readonly localHost: string
  readonly localPort: number
}

export interface SipRecord extends SipAddresses {
  readonly isSent: boolean
  readonly message: Uint8Array
}

const fixedBytes = 8

export const sipHeadBytes = ({ address, localHost }: SipAddresses): number =>
  fixedBytes + Math.min(255, address.length) + Math.min(255, localHost.length)

/** Writes direction, transport, ports and addresses; returns where the message begins. */
export function writeSipHead(into: Uint8Array, at: number, flow: SipAddresses, isSent: boolean): number {
  const { address, localHost, localPort, port = 0 } = flow
  into[at] = isSent ? 1 : 0
  into[at + 1] = transports.indexOf(flow.transport)
  into[at + 2] = port >> 8
  into[at + 3] = port
  into[at + 4] = localPort >> 8
  into[at + 5] = localPort
  into[at + 6] = Math.min(255, address.length)
  into[at + 7] = Math.min(255, localHost.length)
  let next = at + fixedBytes
  for (let index = 0; index < into[at + 6]!; index++) into[next++] = address.charCodeAt(index)
  for (let index = 0; index < into[at + 7]!; index++) into[next++] = localHost.charCodeAt(index)
  return next
}

/** Where the message begins in a record whose payload is at `from`. */
export const sipMessageAt = (bytes: Uint8Array, from: number): number =>
  from + fixedBytes + bytes[from + 6]! + bytes[from + 7]!

const ascii = (bytes: Uint8Array): string => String.fromCharCode(...bytes)

export function readSip(payload: Uint8Array): SipRecord {
  const remoteEnd = fixedBytes + payload[6]!
  const localEnd = remoteEnd + payload[7]!
  return {
    isSent: payload[0] === 1,
    transport: transports[payload[1]!] ?? 'udp',
    port: (payload[2]! << 8) | payload[3]!,
    localPort: (payload[4]! << 8) | payload[5]!,
    address: ascii(payload.subarray(fixedBytes, remoteEnd)),
    localHost: ascii(payload.subarray(remoteEnd, localEnd)),
    message: payload.subarray(localEnd),
  }
}
