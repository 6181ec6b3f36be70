import { createSocket, type Socket } from 'node:dgram'
import type { NameResolver } from '../names/index.ts'

/** How often a name is looked up again: a container comes back with another address. */
const lookUpEveryMs = 60_000
/** The same while it has no address. */
const tryAgainMs = 5000

interface Homer {
  readonly address: string
  readonly port: number
}

/** Sends datagrams to a Homer server, whose name may change its address. What has no address yet is dropped. */
export class HomerSender {
  readonly #homer: Homer
  readonly #names: Pick<NameResolver, 'addresses' | 'close'>
  readonly #sockets = new Map<4 | 6, Socket>()
  #to: { readonly address: string; readonly family: 4 | 6 } | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(homer: Homer, names: Pick<NameResolver, 'addresses' | 'close'>) {
    this.#homer = homer
    this.#names = names
    void this.#lookUp()
  }

  send(packet: Uint8Array): void {
    const to = this.#to
    // Nothing waits for a Homer server that does not answer.
    if (to !== undefined) this.#socketOf(to.family).send(packet, this.#homer.port, to.address, () => {})
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#names.close()
    for (const socket of this.#sockets.values()) socket.close()
  }

  async #lookUp(): Promise<void> {
    const [found] = await this.#names.addresses(this.#homer.address).catch(() => [])
    if (this.#isClosed) return
    // An address that was good is kept while DNS does not answer.
    this.#to = found ?? this.#to
    this.#timer = setTimeout(() => void this.#lookUp(), found === undefined ? tryAgainMs : lookUpEveryMs)
  }

  #socketOf(family: 4 | 6): Socket {
    const known = this.#sockets.get(family)
    if (known !== undefined) return known
    const socket = createSocket(family === 6 ? 'udp6' : 'udp4')
    socket.on('error', () => {})
    this.#sockets.set(family, socket)
    return socket
  }
}
