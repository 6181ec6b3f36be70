import type { EndpointServices } from '../services/services.ts'
import type { PeerConfig } from './peer.ts'
import { PeerPing } from './peer-ping.ts'
import { PeerRegistration } from './peer-registration.ts'

interface Watched {
  readonly peer: PeerConfig
  readonly registration: PeerRegistration | undefined
  readonly ping: PeerPing | undefined
}

/** What of a peer decides how it is registered with and pinged. */
const watchKey = (peer: PeerConfig): string =>
  JSON.stringify([
    peer.host,
    peer.port,
    peer.transport,
    peer.username,
    peer.password,
    peer.register,
    peer.optionsPingSeconds,
  ])

/** Registrations and pings of all peers; follows the list of peers. */
export class PeerWatch {
  readonly #services: EndpointServices
  readonly #watched = new Map<string, Watched>()

  constructor(services: EndpointServices) {
    this.#services = services
  }

  replace(peers: readonly PeerConfig[], now: number): void {
    const wanted = new Map(peers.map(peer => [peer.id, peer]))
    for (const [id, watched] of this.#watched) {
      const peer = wanted.get(id)
      if (peer !== undefined && watchKey(peer) === watchKey(watched.peer)) continue
      watched.registration?.stop()
      watched.ping?.stop()
      this.#watched.delete(id)
    }
    for (const peer of peers) {
      if (this.#watched.has(peer.id)) continue
      const registration = peer.register ? new PeerRegistration(this.#services, peer) : undefined
      const ping = peer.optionsPingSeconds > 0 ? new PeerPing(this.#services, peer) : undefined
      this.#watched.set(peer.id, { peer, registration, ping })
      registration?.start(now)
      ping?.start(now)
    }
  }
}
