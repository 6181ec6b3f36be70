import { isUnicast, parseAddress } from '../address/address.ts'
import { isPrivateAddress } from '../address/network-range.ts'
import type { Agreement, MediaSources, RemoteAddress } from '../contract/agreement.ts'
import type { SharedOpening } from '../contract/command.ts'
import type { PortPair, PortPool } from '../net/port-pool.ts'
import { KnownHosts } from '../receive/known-hosts.ts'
import { movingMs } from '../receive/symmetric-rtp.ts'
import type { SharedHome, SharedLeg } from './shared-leg.ts'
import { SharedPair } from './shared-pair.ts'
import { UnknownSenders } from './unknown-senders.ts'

/**
 * Legs of a pair before another one is opened. The receive buffer that a system gives without privileges holds some 550
 * packets of the loopback, more than 80 ms of so many legs: a thread that is held up for so long loses nothing.
 */
const defaultLegsPerPair = 128

interface Source {
  readonly address: number
  readonly port: number
  readonly rtcpPort: number
}

type Done = (leg: SharedLeg | undefined) => void

/**
 * The ports that legs of a thread share, a pair for many of them. Only legs whose trunk says that media comes from the
 * address in SDP are here: nothing is learned of a source. A pair goes when no leg has used it for a moment.
 */
export class SharedPorts {
  readonly #ports: PortPool
  readonly #legsPerPair: number
  readonly #unknown = new UnknownSenders()
  /** The longest open first: legs fill them in this order, so that few packets take few calls of the system. */
  readonly #pairs: SharedPair[] = []
  #isBinding = false
  readonly #waiting: { readonly source: Source | undefined; readonly done: Done }[] = []

  constructor(ports: PortPool, legsPerPair = defaultLegsPerPair) {
    this.#ports = ports
    this.#legsPerPair = legsPerPair
  }

  get isIdle(): boolean {
    return this.#pairs.length === 0
  }

  /** Legs on shared ports; packets that came to these from sources of no leg. */
  get counters(): { readonly legs: number; readonly unknown: number } {
    return { legs: this.#pairs.reduce((sum, { legs }) => sum + legs, 0), unknown: this.#unknown.packets }
  }

  /** `done` gets undefined when the leg must have ports of its own. */
  open({ remote, sources }: SharedOpening, now: number, done: Done): void {
    const source = remote && sourceOf(remote)
    if (remote !== undefined && (source === undefined || !mayShare(source, sources))) done(undefined)
    else this.#enter(source, now, done)
  }

  /** Offer and answer have met, perhaps again. False: its remote cannot be distinguished from another's. */
  agree(leg: SharedLeg, { remote, sources, receive }: Agreement, now: number): boolean {
    const source = remote && sourceOf(remote)
    if (!receive || source === undefined) leg.awaitedSince = Number.POSITIVE_INFINITY
    // What was agreed on before holds during hold by 0.0.0.0 (RFC 3264 §8.4).
    if (source === undefined || leg.pair === undefined) return true
    leg.hosts.signal(source.address, sources)
    const isSame = leg.address === source.address && leg.port === source.port
    if (!isSame) leg.hasReceived = false
    if (receive && (!isSame || leg.awaitedSince === Number.POSITIVE_INFINITY)) leg.awaitedSince = now
    return this.#claim(leg, leg.pair, source, now)
  }

  /** `done` when the leg has the ports that its next offer or answer names. */
  place(leg: SharedLeg, { remote, sources }: SharedOpening, now: number, done: () => void): void {
    const { pair } = leg
    const source = remote && sourceOf(remote)
    const isDistinct =
      source === undefined ||
      (pair?.isFree(source.address, source.port, source.rtcpPort, leg) === true && mayShare(source, sources))
    const isMissed = !leg.hasReceived && now - leg.awaitedSince >= movingMs
    if (pair === undefined || (isDistinct && !isMissed && !leg.isAmbiguous)) {
      done()
      return
    }
    this.#ports.take(own => {
      if (own !== undefined && (leg.hasEnded || leg.pair === undefined)) this.#ports.release(own, now)
      else if (own !== undefined) {
        pair.quit(leg, now)
        leg.moveTo(own)
      }
      done()
    })
  }

  close(leg: SharedLeg, now: number): void {
    leg.hasEnded = true
    leg.rtp.close()
    leg.rtcp.close()
    const { pair, own } = leg
    if (own !== undefined) this.#ports.release(own, now)
    pair?.quit(leg, now)
    leg.pair = undefined
  }

  tick(now: number): void {
    for (let at = this.#pairs.length - 1; at >= 0; at--) {
      const pair = this.#pairs[at]!
      pair.tick(now)
      if (!pair.isIdle) continue
      this.#pairs.splice(at, 1)
      pair.ports.rtp.close()
      pair.ports.rtcp.close()
      this.#ports.giveBack(pair.ports)
    }
  }

  #enter(source: Source | undefined, now: number, done: Done): void {
    const withRoom = this.#pairs.filter(({ legs }) => legs < this.#legsPerPair)
    if (withRoom.length > 0) {
      done(this.#enterOne(withRoom, source, now))
      return
    }
    this.#waiting.push({ source, done })
    if (this.#isBinding) return
    this.#isBinding = true
    this.#ports.take(ports => this.#bound(ports, now))
  }

  #bound(ports: PortPair | undefined, now: number): void {
    this.#isBinding = false
    if (ports !== undefined) this.#pairs.push(new SharedPair(ports, this.#unknown))
    for (const { source, done } of this.#waiting.splice(0)) {
      if (ports !== undefined) this.#enter(source, now, done)
      // The range is used up, but a pair bears more legs than are put on it otherwise.
      else
        done(
          this.#enterOne(
            this.#pairs.toSorted((one, other) => one.legs - other.legs),
            source,
            now,
          ),
        )
    }
  }

  #enterOne(pairs: readonly SharedPair[], source: Source | undefined, now: number): SharedLeg | undefined {
    const isFree = (pair: SharedPair) =>
      source === undefined || pair.isFree(source.address, source.port, source.rtcpPort)
    const pair = pairs.find(isFree)
    const leg = pair?.enter()
    if (pair !== undefined && leg !== undefined && source !== undefined) this.#claim(leg, pair, source, now)
    return leg
  }

  #claim(leg: SharedLeg, pair: SharedHome, { address, port, rtcpPort }: Source, now: number): boolean {
    if (leg.address === address && leg.port === port && leg.rtcpPort === rtcpPort) return true
    return pair.claim(leg, address, port, rtcpPort, now)
  }
}

/** Undefined: nowhere for now, or nowhere that packets can come from. */
function sourceOf({ address: text, port, rtcpPort }: RemoteAddress): Source | undefined {
  const address = parseAddress(text)
  return address === undefined || port === 0 || !isUnicast(address) ? undefined : { address, port, rtcpPort }
}

/**
 * A private address says nothing outside of its own network: packets may come from a translator's instead. The address
 * that SIP comes from, or one that the operator has listed, is reached as it is.
 */
function mayShare({ address }: Source, sources: MediaSources | undefined): boolean {
  if (!isPrivateAddress(address)) return true
  const hosts = new KnownHosts()
  hosts.signal(address, sources)
  return hosts.isParty(address)
}
