import { randomBytes } from 'node:crypto'
import * as assert from 'uvu/assert'
import { BrowserPort } from '../../../rtp/browser/browser-port.ts'
import { DtlsAssociation } from '../../../rtp/dtls/association.ts'
import { selfSigned } from '../../../rtp/dtls/certificate.ts'
import type { DatagramSocket } from '../../../rtp/net/network.ts'
import { stunAttributes } from '../../../rtp/stun/attributes.ts'
import { StunWriter } from '../../../rtp/stun/writer.ts'
import { VirtualNetwork } from '../bed/virtual-network.ts'

export const ours = selfSigned(1_800_000_000_000, Uint8Array.of(1, 2, 3, 4))
export const theirs = selfSigned(1_800_000_000_000, Uint8Array.of(5, 6, 7, 8))
export const credentials = { ufrag: 'ourUfrag', password: 'our-password-of-24-chars' }
export const at = (10 << 24) | 9
export const terms = {
  local: credentials,
  remoteUfrag: 'them',
  fingerprints: [{ algorithm: 'sha-256', value: theirs.fingerprint }],
  role: 'server' as const,
}

/** A port in virtual time, and a browser at 10.0.0.9. */
export class Bed {
  readonly network = new VirtualNetwork()
  readonly port: BrowserPort
  now = 1000
  /** Handshakes for remotes other than `browser`. */
  toOthers: ((port: number, bytes: Uint8Array) => void) | undefined
  browser: DtlsAssociation | undefined
  #read = 0

  constructor() {
    let socket: DatagramSocket | undefined
    this.network.bind(30_000, bound => {
      socket = bound
    })
    assert.ok(socket)
    this.port = new BrowserPort(socket, this.network, { certificate: ours, randomBytes })
  }

  arrive(bytes: Uint8Array, port = 4000, address = at): void {
    this.network.arrive(30_000, bytes, address, port)
  }

  check(port = 4000, user = 'ourUfrag:them', nominates = true, to = 30_000): void {
    const into = new Uint8Array(300)
    const writer = new StunWriter(into, 'request', 1, randomBytes(12)).text(stunAttributes.username, user)
    writer.bytes(stunAttributes.iceControlling, new Uint8Array(8))
    if (nominates) writer.bytes(stunAttributes.useCandidate, new Uint8Array(0))
    const length = writer.seal(new Uint8Array(Buffer.from(credentials.password)))
    this.network.arrive(to, into.slice(0, length), at, port)
  }

  /** Checks and shakes hands, as a browser that gets an answer does. */
  connect(): void {
    this.check()
    this.run(10)
    this.browser = new DtlsAssociation(
      {
        role: 'client',
        certificate: theirs,
        fingerprints: [{ algorithm: 'sha-256', value: ours.fingerprint }],
        profiles: ['AES_CM_128_HMAC_SHA1_80'],
        randomBytes,
        send: datagram => this.arrive(datagram),
      },
      this.now,
    )
    this.browser.start(this.now)
    this.run(200)
  }

  run(ms: number): void {
    for (const until = this.now + ms; this.now < until; ) {
      this.now += 5
      this.port.tick(this.now)
      this.network.receive()
      this.network.flush()
      for (const { bytes, port } of this.network.sent.slice(this.#read)) {
        if (bytes[0]! < 20 || bytes[0]! > 63) continue
        this.browser?.receive(bytes, bytes.length, this.now)
        this.toOthers?.(port, bytes)
      }
      this.#read = this.network.sent.length
      this.browser?.tick(this.now)
    }
  }
}
