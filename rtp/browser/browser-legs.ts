import type { DatagramNetwork } from '../engine/network.ts'
import type { PortPool } from '../engine/port-pool.ts'
import type { IceCredentials } from '../ice/credentials.ts'
import { type BrowserCounters, browserCounters } from './browser-counters.ts'
import type { BrowserLink } from './browser-link.ts'
import { BrowserPort, type BrowserPortConfig } from './browser-port.ts'
import type { BrowserTerms } from './terms.ts'

type Done = (link: BrowserLink | undefined) => void

/** The browser legs of a thread, and their port: bound at the first, kept from then on. */
export class BrowserLegs {
  readonly #network: DatagramNetwork
  readonly #ports: PortPool
  readonly #config: BrowserPortConfig | undefined
  #port: BrowserPort | undefined
  #isBinding = false
  readonly #waiting: { readonly credentials: IceCredentials; readonly done: Done }[] = []

  /** `config` undefined: there are none. */
  constructor(network: DatagramNetwork, ports: PortPool, config: BrowserPortConfig | undefined) {
    this.#network = network
    this.#ports = ports
    this.#config = config
  }

  get counters(): Readonly<BrowserCounters> {
    return this.#port?.counters ?? browserCounters()
  }

  /** `done` gets undefined when no port is to be had. */
  open(credentials: IceCredentials, done: Done): void {
    if (this.#port !== undefined) {
      done(this.#port.open(credentials))
      return
    }
    this.#waiting.push({ credentials, done })
    this.#bind()
  }

  agree(link: BrowserLink, terms: BrowserTerms, now: number): void {
    this.#port?.agree(link, terms, now)
  }

  close(link: BrowserLink): void {
    this.#port?.close(link)
  }

  tick(now: number): void {
    this.#port?.tick(now)
  }

  #bind(): void {
    if (this.#isBinding) return
    this.#isBinding = true
    const config = this.#config
    if (config === undefined) {
      this.#bound(undefined)
      return
    }
    // The odd port beside it stays bound and unheard.
    this.#ports.take(pair => this.#bound(pair && new BrowserPort(pair.rtp, this.#network, config)))
  }

  #bound(port: BrowserPort | undefined): void {
    this.#port = port
    this.#isBinding = false
    for (const { credentials, done } of this.#waiting.splice(0)) done(port?.open(credentials))
  }
}
