import { parseAddress } from '../address/address.ts'
import type { BrowserOpening, BrowserTerms } from '../contract/browser-terms.ts'
import type { DatagramNetwork, DatagramSocket } from '../net/network.ts'
import type { PortPool } from '../net/port-pool.ts'
import { type BrowserCounters, browserCounters } from './browser-counters.ts'
import type { BrowserLink } from './browser-link.ts'
import { BrowserPort, type BrowserPortConfig } from './browser-port.ts'

/** Pairs tried for the first leg: the port is bound to no address for a moment. */
const bindTries = 4

type Done = (link: BrowserLink | undefined) => void

/** The browser legs of a thread, and their port: bound at the first, kept from then on. */
export class BrowserLegs {
  readonly #network: DatagramNetwork
  readonly #ports: PortPool
  readonly #config: BrowserPortConfig | undefined
  #port: BrowserPort | undefined
  #isBinding = false
  readonly #waiting: { readonly opening: BrowserOpening; readonly done: Done }[] = []
  /** Addresses that the port is bound to, and those that it could not be bound to. */
  readonly #tried = new Set<string>()

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
  open(opening: BrowserOpening, done: Done): void {
    const port = this.#port
    if (port !== undefined && this.#untried(opening).length === 0) {
      done(port.open(opening))
      return
    }
    this.#waiting.push({ opening, done })
    if (!this.#isBinding) this.#bind(opening)
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

  #untried({ addresses = [] }: BrowserOpening): readonly string[] {
    return addresses.filter(address => !this.#tried.has(address))
  }

  #bind(opening: BrowserOpening): void {
    this.#isBinding = true
    const addresses = this.#untried(opening)
    const port = this.#port
    if (port !== undefined) {
      this.#bindEach(port.port, addresses, sockets => {
        for (const socket of sockets) port.listen(socket)
        this.#bound(port)
      })
      return
    }
    const config = this.#config
    if (config === undefined) {
      this.#bound(undefined)
      return
    }
    this.#bindFirst(addresses, config, bindTries)
  }

  #bindFirst(addresses: readonly string[], config: BrowserPortConfig, tries: number): void {
    // The odd port next to it stays bound and unused.
    this.#ports.take(pair => {
      if (pair === undefined || addresses.length === 0) {
        this.#bound(pair && new BrowserPort(pair.rtp, this.#network, config))
        return
      }
      const { rtp } = pair
      // Bound to all addresses, it would leave none of them to be bound alone.
      rtp.close()
      this.#bindEach(rtp.port, addresses, ([first, ...others]) => {
        if (first === undefined) {
          // None is this machine's: the address is a translator's, and its packets come to one of ours.
          this.#network.bind(rtp.port, all => {
            if (all !== undefined) {
              this.#bound(new BrowserPort(all, this.#network, config))
              return
            }
            // Another program has taken the port meanwhile.
            pair.rtcp.close()
            this.#ports.giveBack(pair)
            if (tries > 1) this.#bindFirst(addresses, config, tries - 1)
            else this.#bound(undefined)
          })
          return
        }
        const made = new BrowserPort(first, this.#network, config)
        for (const socket of others) made.listen(socket)
        this.#bound(made)
      })
    })
  }

  /** `done` gets the sockets of those addresses that are this machine's. */
  #bindEach(port: number, addresses: readonly string[], done: (sockets: readonly DatagramSocket[]) => void): void {
    const sockets: DatagramSocket[] = []
    const next = (at: number): void => {
      const name = addresses[at]
      if (name === undefined) {
        done(sockets)
        return
      }
      this.#tried.add(name)
      const address = parseAddress(name)
      if (address === undefined) {
        next(at + 1)
        return
      }
      this.#network.bind(
        port,
        socket => {
          if (socket !== undefined) sockets.push(socket)
          next(at + 1)
        },
        address,
      )
    }
    next(0)
  }

  #bound(port: BrowserPort | undefined): void {
    this.#port = port
    this.#isBinding = false
    if (port === undefined) this.#tried.clear()
    // Who names more addresses than are bound waits once more.
    for (const { opening, done } of this.#waiting.splice(0)) {
      if (port === undefined) done(undefined)
      else this.open(opening, done)
    }
  }
}
