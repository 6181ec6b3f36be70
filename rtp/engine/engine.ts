import { BrowserLegs } from '../browser/browser-legs.ts'
import { type BrowserLink, throughLink } from '../browser/browser-link.ts'
import { Beats } from '../session/beats.ts'
import { Session, type SessionHost } from '../session/session.ts'
import { ProtectedPair } from '../srtp/protected-pair.ts'
import { endOfAbandoned } from './abandoned.ts'
import type { EngineCommand, SessionId } from './command.ts'
import { Connections } from './connections.ts'
import type { EngineConfig, EngineCounters, EngineEnvironment } from './environment.ts'
import { type Played, PlayLoader } from './play-loader.ts'
import { type PortPair, PortPool } from './port-pool.ts'
import { orderRecording } from './recording-orders.ts'

const defaultTimeoutMs = 60_000
/** Sessions that send between two flushes. */
const flushEvery = 8

type AgreeCommand = Extract<EngineCommand, { readonly type: 'agree' }>

/** A session and what is on its way to it. */
interface Entry extends Played {
  /** What came before its ports were bound. */
  waiting: EngineCommand[]
  /** Of a browser's leg, and what was agreed on before it had keys. */
  link: BrowserLink | undefined
  /** Its packets may be protected by keys in SDP. */
  keyed: ProtectedPair | undefined
  held: AgreeCommand | undefined
}

/**
 * All sessions of a media thread. Commands, packets and ticks go in, events come out; sockets, files and clocks are
 * given. A fault in one session ends that session and no other.
 */
export class MediaEngine {
  readonly #env: EngineEnvironment
  readonly #host: SessionHost
  readonly #ports: PortPool
  readonly #browsers: BrowserLegs
  readonly #plays: PlayLoader
  readonly #connections: Connections
  readonly #entries = new Map<SessionId, Entry>()
  /** The sessions of `#entries` that are open, in an array for the tick. */
  readonly #sessions: Session[] = []
  #faults = 0
  #closing = 0
  #now = 0

  constructor(config: EngineConfig, env: EngineEnvironment) {
    this.#env = env
    this.#plays = new PlayLoader(
      env.prompts,
      event => env.emit(event),
      (session, run) => this.#guarded(session, run),
    )
    this.#ports = new PortPool(env.network, config, () => env.random())
    this.#browsers = new BrowserLegs(env.network, this.#ports, env.browsers)
    this.#connections = new Connections({
      opus: env.opus,
      clockOffsetMs: env.clockOffsetMs ?? 0,
      failed: (session, error) => this.#fail(session, error),
    })
    this.#host = {
      network: env.network,
      opus: env.opus,
      beats: new Beats(),
      timeoutMs: config.timeoutMs ?? defaultTimeoutMs,
      emit: event => env.emit(event),
      random: () => env.random(),
      unixMs: now => env.unixMs(now),
    }
  }

  /** True when there is nothing to tick for. */
  get isIdle(): boolean {
    return this.#entries.size === 0 && this.#ports.draining === 0
  }

  /** True until every session has told its end: recordings may still be on their way to disk. */
  get isBusy(): boolean {
    return this.#closing > 0 || this.#entries.size > 0
  }

  get counters(): EngineCounters {
    const { received, sent, unsent } = this.#env.network.counters
    return {
      sessions: this.#entries.size,
      draining: this.#ports.draining,
      portsFree: this.#ports.free,
      received,
      sent,
      unsent,
      faults: this.#faults,
      browsers: this.#browsers.counters,
    }
  }

  execute(command: EngineCommand, now: number): void {
    this.#now = now
    if (command.type === 'open') {
      this.#open(command)
      return
    }
    const entry = this.#entries.get(command.session)
    if (entry === undefined) return
    if (entry.session === undefined) entry.waiting.push(command)
    else this.#guarded(entry.session, () => this.#run(entry, command, now))
  }

  /** Every 5 ms: what has arrived, what is to be sent, then what can wait: recordings, reports, ends. */
  tick(now: number): void {
    this.#now = now
    this.#browsers.tick(now)
    this.#env.network.receive()
    this.#connections.tick(now)
    // Backwards: a session that ends takes the last one's place, which has had its turn.
    for (let i = this.#sessions.length - 1; i >= 0; i--) {
      const session = this.#sessions[i]!
      try {
        session.send(now)
      } catch (error) {
        this.#fail(session, error)
      }
      // What is ready does not wait for the work of all others.
      if (i % flushEvery === 0) this.#env.network.flush()
    }
    for (let i = this.#sessions.length - 1; i >= 0; i--) {
      const session = this.#sessions[i]!
      try {
        session.tick(now)
      } catch (error) {
        this.#fail(session, error)
      }
    }
    this.#ports.tick(now)
    this.#env.network.flush()
  }

  /** Ends every session, as `close` does. */
  closeAll(now: number): void {
    for (const session of [...this.#entries.keys()]) this.execute({ type: 'close', session }, now)
    this.#env.network.flush()
  }

  #open({ session: id, browser, keyed = false }: Extract<EngineCommand, { type: 'open' }>): void {
    if (this.#entries.has(id)) return
    const entry: Entry = {
      session: undefined,
      waiting: [],
      loading: undefined,
      link: undefined,
      keyed: undefined,
      held: undefined,
      begun: undefined,
    }
    this.#entries.set(id, entry)
    const opened = (taken: PortPair | undefined, link?: BrowserLink) => {
      if (taken === undefined) {
        this.#entries.delete(id)
        this.#env.emit({ type: 'failed', session: id, fault: 'no-ports', detail: 'every media port is in use' })
        for (const command of entry.waiting) {
          const end = endOfAbandoned(command)
          if (end !== undefined) this.#env.emit(end)
        }
        return
      }
      const now = this.#env.now()
      if (keyed) entry.keyed = new ProtectedPair(taken, () => this.#env.network.slot())
      const pair = entry.keyed ?? taken
      const session = new Session(id, pair, this.#host, now)
      this.#listen(session, pair)
      if (entry.keyed !== undefined)
        entry.keyed.onRejected = () => {
          session.arrivals.dropped++
        }
      entry.session = session
      if (link !== undefined) this.#join(entry, session, link)
      this.#sessions.push(session)
      this.#env.emit({ type: 'opened', session: id, port: pair.rtp.port, ssrc: session.ssrc })
      for (const command of entry.waiting.splice(0)) this.execute(command, now)
    }
    if (browser === undefined) this.#ports.take(opened)
    else this.#browsers.open(browser, link => opened(link, link))
  }

  #join(entry: Entry, session: Session, link: BrowserLink): void {
    entry.link = link
    link.onSecure = () => {
      const { held } = entry
      entry.held = undefined
      if (held !== undefined) this.#guarded(session, () => this.#run(entry, held, this.#now))
    }
    link.onFault = (fault, detail) => {
      if (fault === 'internal') this.#fail(session, new Error(detail))
      else this.#env.emit({ type: 'timeout', session: session.id, fault })
    }
  }

  #listen(session: Session, pair: PortPair): void {
    pair.rtp.receiver = (packet, length, address, port) => {
      try {
        session.arrivals.receive(packet, length, address, port, this.#now)
      } catch (error) {
        this.#fail(session, error)
      }
    }
    pair.rtcp.receiver = (packet, length, address, port) => {
      try {
        session.receiveReport(packet, length, address, port, this.#now)
      } catch (error) {
        this.#fail(session, error)
      }
    }
  }

  #run(entry: Entry, command: Exclude<EngineCommand, { type: 'open' }>, now: number): void {
    const session = entry.session
    if (session === undefined) return
    switch (command.type) {
      case 'agree':
        if (entry.link !== undefined && !this.#isReached(entry, entry.link, command, now)) return
        entry.keyed?.agree(command.keys)
        if (command.talk) session.sender.isTalking = true
        session.agree(entry.link === undefined ? command.agreement : throughLink(command.agreement), now)
        this.#plays.agreed(entry)
        return
      case 'play':
        session.sender.isTalking = true
        this.#plays.play(entry, command)
        return
      case 'stop':
        this.#plays.stop(entry, command.play)
        return
      case 'record':
      case 'record-session':
      case 'pause-record':
      case 'resume-record':
      case 'stop-record':
        orderRecording(session, command, this.#env.recordings, now)
        return
      case 'bridge':
        this.#bridge(session, command.other, now)
        return
      case 'unbridge':
        this.#connections.unbridge(session)
        return
      case 'join':
        this.#connections.join(session, command, now)
        return
      case 'leave':
        this.#connections.leave(session, now)
        return
      case 'room-tone':
        this.#connections.sound(session, command)
        return
      case 'send-digits':
        session.sender.isTalking = true
        session.sender.sendDigits(command.digitsId, command.digits)
        return
      case 'close':
        this.#close(session, now)
        return
    }
  }

  /** Of a browser's leg: what was agreed on waits for the keys, lest the first words are lost. */
  #isReached(entry: Entry, link: BrowserLink, command: AgreeCommand, now: number): boolean {
    if (command.browser !== undefined) this.#browsers.agree(link, command.browser, now)
    if (!link.isSecure) entry.held = command
    return link.isSecure
  }

  #bridge(session: Session, otherId: SessionId, now: number): void {
    this.#connections.part(session, now)
    const entry = this.#entries.get(otherId)
    if (entry === undefined) return
    // Its ports are being bound: it will do the same then.
    if (entry.session === undefined) entry.waiting.push({ type: 'bridge', session: otherId, other: session.id })
    else this.#connections.bridge(session, entry.session, now)
  }

  #close(session: Session, now: number): void {
    const entry = this.#entries.get(session.id)
    if (entry?.session !== session) return
    this.#connections.part(session, now)
    this.#plays.drop(entry)
    this.#entries.delete(session.id)
    this.#forget(session)
    this.#closing++
    const closed = () => {
      this.#closing--
      this.#env.emit({ type: 'closed', session: session.id, stats: session.stats })
    }
    try {
      session.close(now, closed)
    } finally {
      if (entry.link === undefined) this.#ports.release(session.ports, now)
      else this.#browsers.close(entry.link)
    }
  }

  #forget(session: Session): void {
    const at = this.#sessions.indexOf(session)
    const last = this.#sessions.pop()
    if (at !== -1 && last !== undefined && at < this.#sessions.length) this.#sessions[at] = last
  }

  #guarded(session: Session, run: () => void): void {
    try {
      run()
    } catch (error) {
      this.#fail(session, error)
    }
  }

  /** A fault of ours in one session's code: it ends, the thread and its other sessions go on. */
  #fail(session: Session, error: unknown): void {
    this.#faults++
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
    this.#env.emit({ type: 'failed', session: session.id, fault: 'internal', detail: detail.slice(0, 2000) })
    try {
      this.#close(session, this.#now)
    } catch {
      // What could not be ended in order is forgotten all the same: its session has told `closed`.
    }
  }
}
