import type { BrowserLegs } from '../browser/browser-legs.ts'
import type { BrowserLink } from '../browser/browser-link.ts'
import type { EngineCommand } from '../contract/command.ts'
import type { PortPair, PortPool } from '../net/port-pool.ts'
import { ProtectedPair } from '../net/protected-pair.ts'
import type { ReadyPairs } from '../net/ready-pairs.ts'
import { MediaSession, type MediaSessionHost } from '../session/media-session.ts'
import type { SharedPorts } from '../shared/shared-ports.ts'
import type { EngineEnvironment } from './environment.ts'
import type { FaultGuard } from './fault-guard.ts'
import type { AgreeCommand, Entry } from './session-table.ts'

export type OpenCommand = Extract<EngineCommand, { readonly type: 'open' }>

interface OpenerHost {
  readonly env: EngineEnvironment
  readonly ports: PortPool
  readonly ready: ReadyPairs
  readonly shared: SharedPorts
  readonly browsers: BrowserLegs
  readonly guard: FaultGuard
  /** Arrival time of the packet that is being read. */
  arrivedAt(): number
  /** A browser's leg has its keys: what was agreed on before. */
  release(entry: Entry, held: AgreeCommand): void
}

/** Makes sessions: takes their ports, a place on shared ones, or their link to a browser, and leads into them what arrives there. */
export class SessionOpener {
  readonly #host: OpenerHost
  readonly #sessionHost: MediaSessionHost

  constructor(host: OpenerHost, sessionHost: MediaSessionHost) {
    this.#host = host
    this.#sessionHost = sessionHost
  }

  /** `done` gets undefined when no port is to be had. */
  open(command: OpenCommand, entry: Entry, done: (session: MediaSession | undefined) => void): void {
    const { env, ports, ready, shared, browsers } = this.#host
    const { browser, keyed, port, ipv6 = false } = command
    const made = (pair: PortPair | undefined) => done(pair && this.#make(command, entry, pair))
    const own = () => (port === undefined ? ports.take(made, ipv6) : made(ready.take(port)))
    if (browser !== undefined)
      browsers.open(browser, link => done(link && this.#reach(entry, this.#make(command, entry, link), link)))
    else if (command.shared === undefined || keyed === true || ipv6) own()
    else
      shared.open(command.shared, env.now(), leg => {
        entry.shared = leg
        if (leg === undefined) own()
        else done(this.#make(command, entry, leg))
      })
  }

  #make({ session: id, keyed = false }: OpenCommand, entry: Entry, taken: PortPair): MediaSession {
    const { env } = this.#host
    const now = env.now()
    if (keyed) entry.keyed = new ProtectedPair(taken, () => env.network.slot())
    const pair = entry.keyed ?? taken
    const session = new MediaSession(id, pair, this.#sessionHost, now)
    this.#listen(session, pair)
    if (entry.keyed !== undefined) {
      entry.keyed.onRejected = () => {
        session.ingress.dropped++
      }
    }
    return session
  }

  #listen(session: MediaSession, pair: PortPair): void {
    const host = this.#host
    pair.rtp.receiver = (packet, length, address, port) => {
      try {
        session.ingress.receive(packet, length, address, port, host.arrivedAt())
      } catch (error) {
        host.guard.fail(session, error)
      }
    }
    pair.rtp.readAhead = () => session.readAheadReceiving()
    pair.rtcp.receiver = (packet, length, address, port) => {
      try {
        session.receiveReport(packet, length, address, port, host.arrivedAt())
      } catch (error) {
        host.guard.fail(session, error)
      }
    }
  }

  #reach(entry: Entry, session: MediaSession, link: BrowserLink): MediaSession {
    const { env, guard } = this.#host
    entry.link = link
    link.onSecure = () => {
      const { held } = entry
      entry.held = undefined
      if (held !== undefined) this.#host.release(entry, held)
    }
    link.onQuiet = () => env.emit({ type: 'quiet', session: session.id })
    link.onFault = (fault, detail) => {
      if (fault === 'internal') guard.fail(session, new Error(detail))
      else env.emit({ type: 'timeout', session: session.id, fault })
    }
    return session
  }
}
