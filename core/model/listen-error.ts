import type { SipListener } from './settings.ts'

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses it; stop that program, or choose another port',
  EADDRNOTAVAIL: 'it is no address of this machine; choose one of its addresses, or 0.0.0.0 for all of them',
  EACCES: 'this user may not open the port; choose one above 1023',
  ENOTFOUND: 'there is no such name; write an IP address',
  EINVAL: 'it is no IP address; write one of this machine, or 0.0.0.0 for all of them',
}

/** An address of the setting `sip` that cannot be listened at. `code` is the system's, its error is the `cause`. */
export class ListenError extends Error {
  /** As `EADDRINUSE`. */
  readonly code: string
  readonly transport: SipListener['transport']
  readonly address: string
  readonly port: number

  /** @internal */
  constructor({ transport, address, port }: SipListener, cause: unknown) {
    const { code = '', message = String(cause) } = cause as NodeJS.ErrnoException
    const place = `${transport}:${address.includes(':') ? `[${address}]` : address}:${port}`
    const reason = reasons[code]
    super(`sip: cannot listen at ${place}: ${reason === undefined ? message : `${reason} (${code})`}`, { cause })
    this.name = 'ListenError'
    this.code = code
    this.transport = transport
    this.address = address
    this.port = port
  }
}
