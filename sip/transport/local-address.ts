import { createSocket } from 'node:dgram'
import { isIPv6 } from 'node:net'

const rememberedPeers = 10_000
const mostLookups = 256
/** Any port does: connecting a UDP socket sends nothing, it only asks the routing table. */
const discardPort = 9

/**
 * The address by which a peer is reached: what a UDP socket connected to it is bound to. Asked once per peer address
 * and remembered; a caller that needs it at once gets `undefined` and calls `find`.
 */
export class LocalAddresses {
  readonly #known = new Map<string, string>()
  readonly #waiting = new Map<string, ((address: string | undefined) => void)[]>()

  known(remote: string): string | undefined {
    return this.#known.get(remote)
  }

  /** `done` gets undefined when there is no route to the peer, or when too many lookups are open. */
  find(remote: string, done: (address: string | undefined) => void): void {
    const known = this.#known.get(remote)
    if (known !== undefined) {
      done(known)
      return
    }
    const waiting = this.#waiting.get(remote)
    if (waiting !== undefined) {
      waiting.push(done)
      return
    }
    if (this.#waiting.size >= mostLookups) {
      done(undefined)
      return
    }
    this.#waiting.set(remote, [done])
    const socket = createSocket(isIPv6(remote) ? 'udp6' : 'udp4')
    const finish = (address: string | undefined) => {
      socket.removeAllListeners()
      socket.close()
      const callers = this.#waiting.get(remote) ?? []
      this.#waiting.delete(remote)
      if (address !== undefined) {
        if (this.#known.size >= rememberedPeers) this.#known.clear()
        this.#known.set(remote, address)
      }
      for (const caller of callers) caller(address)
    }
    socket.once('error', () => finish(undefined))
    socket.once('connect', () => finish(socket.address().address))
    socket.connect(discardPort, remote)
  }
}
