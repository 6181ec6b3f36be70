import { assertNever } from '../base/assert-never.ts'
import { BrowserLegs } from '../browser/browser-legs.ts'
import { type BrowserLink, throughLink } from '../browser/browser-link.ts'
import type { EngineCommand, SessionId } from '../contract/command.ts'
import type { EngineEvent } from '../contract/event.ts'
import type { SessionDump } from '../contract/session-dump.ts'
import { PortPool } from '../net/port-pool.ts'
import { ReadyPairs } from '../net/ready-pairs.ts'
import { aheadMs } from '../packetize/frame-clock.ts'
import { TickSlots } from '../packetize/tick-slots.ts'
import type { ArrivalDrops } from '../receive/arrival-allowance.ts'
import type { MediaSession } from '../session/media-session.ts'
import { SharedPorts } from '../shared/shared-ports.ts'
import { endOfAbandoned } from './abandoned-orders.ts'
import { Connections } from './connections.ts'
import { DeferredWork } from './deferred-work.ts'
import type { EngineConfig, EngineCounters, EngineEnvironment } from './environment.ts'
import { FaultGuard } from './fault-guard.ts'
import { PlayLoader } from './play-loader.ts'
import { orderRecording } from './recording-orders.ts'
import { SendSchedule } from './send-schedule.ts'
import { dumpOfSession } from './session-dump.ts'
import { type OpenCommand, SessionOpener } from './session-opener.ts'
import { type AgreeCommand, type Entry, SessionTable } from './session-table.ts'

type PlaceCommand = Extract<EngineCommand, { readonly type: 'place' }>

const defaultTimeoutMs = 60_000
/** Sessions that make frames between two looks at the time. */
const lookEvery = 8
/** Of two ticks, that far apart, one between was missed. */
const missedFromMs = 1.5 * aheadMs
/** So long after a packet was passed on others are expected to follow. */
const relayingMs = 100
/** What is read longer than this after the tick has begun came meanwhile: the thread was held up. */
const heldUpMs = 1

/**
 * All sessions of a media thread. Commands, packets and ticks go in, events come out; sockets, files and clocks are
 * given. A fault in one session ends that session and no other.
 */
export class MediaEngine {
  readonly #env: EngineEnvironment
  readonly #ports: PortPool
  readonly #ready: ReadyPairs
  readonly #shared: SharedPorts
  readonly #browsers: BrowserLegs
  readonly #plays: PlayLoader
  readonly #connections: Connections
  readonly #schedule: SendSchedule
  readonly #guard: FaultGuard
  readonly #table = new SessionTable()
  readonly #opener: SessionOpener
  readonly #deferred: DeferredWork
  readonly #drops: ArrivalDrops = { excess: 0 }
  #closing = 0
  #now = 0
  /** Packets are passed on until then, as far as is known. */
  #relaysUntil = Number.NEGATIVE_INFINITY
  /** Of the last tick; undefined when there was nothing to tick for. */
  #lastTickAt: number | undefined

  constructor(config: EngineConfig, env: EngineEnvironment) {
    this.#env = env
    const emit = (event: EngineEvent) => env.emit(event)
    const random = () => env.random()
    const departures = new SendSchedule(env.network, env.now, now => env.overran?.(now))
    const guard = new FaultGuard(emit, session => departures.afterFrames(() => this.#close(session, this.#now)))
    this.#schedule = departures
    this.#guard = guard
    this.#plays = new PlayLoader(env.prompts, emit, guard)
    this.#ports = new PortPool(env.network, config, random)
    this.#ready = new ReadyPairs(this.#ports, config.readyPairs ?? 0, ports => env.ready?.(ports))
    this.#shared = new SharedPorts(this.#ports, config.legsPerSharedPair)
    this.#browsers = new BrowserLegs(env.network, this.#ports, env.browsers)
    this.#deferred = new DeferredWork(guard, tickAt => departures.releaseOverdue(tickAt))
    this.#connections = new Connections(env.opus, env.clockOffsetMs ?? 0, guard)
    this.#opener = new SessionOpener(
      {
        env,
        ports: this.#ports,
        ready: this.#ready,
        shared: this.#shared,
        browsers: this.#browsers,
        guard,
        arrivedAt: () => this.#arrivedAt(),
        release: (entry, held) => this.#runGuarded(entry, held, this.#now),
      },
      {
        network: env.network,
        opus: env.opus,
        tickSlots: new TickSlots(),
        drops: this.#drops,
        tape: env.tape,
        timeoutMs: config.timeoutMs ?? defaultTimeoutMs,
        emit: event => emit(this.#withAwaited(event)),
        random,
        now: () => env.now(),
        unixMs: now => env.unixMs(now),
      },
    )
  }

  /** True when there is nothing to tick for. */
  get isIdle(): boolean {
    return this.#table.size === 0 && this.#ports.draining === 0 && this.#shared.isIdle
  }

  /** Packets come that other legs are to have at once: they need not wait for the next tick. */
  get isRelaying(): boolean {
    return this.#now < this.#relaysUntil
  }

  /** True until every session has reported its end: recordings may still be on their way to disk. */
  get isBusy(): boolean {
    return this.#closing > 0 || this.#table.size > 0
  }

  get counters(): EngineCounters {
    const { received, sent, unsent } = this.#env.network.counters
    const shared = this.#shared.counters
    return {
      sessions: this.#table.size,
      draining: this.#ports.draining,
      portsFree: this.#ports.free + this.#ready.size,
      portsReady: this.#ready.size,
      onSharedPorts: shared.legs,
      unknownSources: shared.unknown,
      received,
      sent,
      unsent,
      excess: this.#drops.excess,
      faults: this.#guard.faults,
      browsers: this.#browsers.counters,
    }
  }

  /** How a session's media is sent, for support: see `Sender.describe`. */
  describe(id: SessionId): string | undefined {
    return this.#table.find(id)?.session?.sender.describe()
  }

  /** The state of those of the sessions that are open, for support. */
  dump(ids: readonly SessionId[], now: number): readonly SessionDump[] {
    const entries = ids.map(id => this.#table.find(id)).filter(entry => entry !== undefined)
    return entries.map(entry => dumpOfSession(entry, now)).filter(dump => dump !== undefined)
  }

  execute(command: EngineCommand, now: number): void {
    this.#now = now
    this.#carryOut(command, now)
    if (this.isIdle) this.#schedule.release()
  }

  #carryOut(command: EngineCommand, now: number): void {
    if (command.type === 'open') {
      this.#open(command)
      return
    }
    const entry = this.#table.find(command.session)
    if (entry === undefined) return
    if (entry.session === undefined) entry.waiting.push(command)
    else this.#runGuarded(entry, command, now)
  }

  /**
   * Every 5 ms: the frames that the last one made, what has arrived, the frames for the next one, then what can wait:
   * recordings, reports, ends. `tickAt`: when the tick was due. A tick that is late makes what was due with it, and leaves
   * to the next what is due with that. What ticks before it have missed goes at once: it would have gone by now.
   */
  tick(now: number, tickAt = now): void {
    const departures = this.#schedule
    this.#now = now
    departures.release()
    departures.sendAtOnce()
    this.#browsers.tick(now)
    this.#receive(now)
    if (this.#lastTickAt !== undefined && tickAt - this.#lastTickAt > missedFromMs) {
      this.#makeFrames(now, tickAt - aheadMs)
      departures.release()
    }
    this.#makeFrames(now, tickAt)
    departures.sendAtOnce()
    this.#deferred.run(this.#table, now, tickAt)
    departures.holdForTick()
    this.#ports.tick(now)
    this.#shared.tick(now)
    this.#lastTickAt = this.isIdle ? undefined : tickAt
    if (this.isIdle) departures.release()
  }

  /** Between two ticks: what has arrived is passed on. */
  receive(now: number): void {
    this.#now = now
    this.#schedule.sendInOrder()
    this.#receive(now)
  }

  #receive(now: number): void {
    const { network } = this.#env
    const before = network.counters.sent
    network.receive()
    this.#schedule.holdForTick()
    if (network.counters.sent > before) this.#relaysUntil = now + relayingMs
  }

  #makeFrames(now: number, tickAt: number): void {
    const table = this.#table
    const { open } = table
    this.#connections.tick(now, tickAt)
    // Backwards: a session that ends takes the last one's place, which has had its turn.
    for (let i = open.length - 1, ahead = 0; i >= 0; i--) {
      if (now < table.idleUntil[i]!) continue
      if (ahead === 0) ahead = table.readAhead(i, now)
      ahead--
      const session = open[i]!
      try {
        session.send(now, tickAt)
        table.idleUntil[i] = session.idleUntil
      } catch (error) {
        this.#guard.fail(session, error)
      }
      if (i % lookEvery === 0) this.#schedule.releaseOverdue(tickAt)
    }
  }

  /**
   * When the packet came that is being read: with the tick. Held up while it reads, a thread finds what was sent
   * meanwhile: such packets would seem to be faster than any other, and nothing else can make one come early.
   */
  #arrivedAt(): number {
    const now = this.#env.now()
    return now - this.#now > heldUpMs ? now : this.#now
  }

  /** Ends every session, as `close` does. */
  closeAll(now: number): void {
    for (const session of this.#table.ids) this.execute({ type: 'close', session }, now)
    this.#schedule.release()
    this.#env.network.flush()
  }

  #open(command: OpenCommand): void {
    const entry = this.#table.reserve(command.session)
    if (entry === undefined) return
    this.#opener.open(command, entry, session => {
      if (session === undefined) this.#abandon(command.session, entry)
      else this.#begin(command, entry, session)
    })
    this.#ready.fill()
  }

  #begin(command: OpenCommand, entry: Entry, session: MediaSession): void {
    const now = this.#env.now()
    this.#table.fill(entry, session)
    if (command.port === undefined)
      this.#env.emit({ type: 'opened', session: session.id, port: session.ports.rtp.port, ssrc: session.ssrc })
    for (const command of entry.waiting.splice(0)) this.execute(command, now)
  }

  #abandon(id: SessionId, entry: Entry): void {
    this.#table.abandon(id)
    const detail =
      this.#env.network.hasNoDescriptors === true
        ? 'this process may open no more files: raise its limit (LimitNOFILE of systemd, ulimit -n)'
        : 'every media port is in use'
    this.#env.emit({ type: 'failed', session: id, fault: 'no-ports', detail })
    for (const command of entry.waiting) {
      const end = endOfAbandoned(command)
      if (end !== undefined) this.#env.emit(end)
    }
  }

  #runGuarded(entry: Entry, command: Exclude<EngineCommand, OpenCommand>, now: number): void {
    const { session } = entry
    if (session === undefined) return
    this.#table.disturb(session)
    this.#guard.run(session, () => this.#run(session, entry, command, now))
  }

  #run(session: MediaSession, entry: Entry, command: Exclude<EngineCommand, OpenCommand>, now: number): void {
    switch (command.type) {
      case 'agree':
        if (entry.link !== undefined && !this.#isReached(entry, entry.link, command, now)) return
        entry.keyed?.agree(command.keys)
        this.#agreeShared(entry, command, now)
        if (command.talk) session.sender.isTalking = true
        session.agree(entry.link === undefined ? command.agreement : throughLink(command.agreement), now)
        this.#plays.agreed(entry)
        return
      case 'place':
        this.#place(session, entry, command, now)
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
      case 'capture':
        session.capture(now + command.forMs)
        return
      case 'close':
        this.#close(session, now)
        return
      default:
        assertNever(command)
    }
  }

  /** On a shared port its packets are found by what was agreed on. */
  #agreeShared({ shared }: Entry, { session, agreement }: AgreeCommand, now: number): void {
    const { remote } = agreement
    if (shared === undefined || this.#shared.agree(shared, agreement, now) || remote === undefined) return
    this.#env.emit({ type: 'source-taken', session, address: remote.address, port: remote.port })
  }

  #place(session: MediaSession, { shared }: Entry, command: PlaceCommand, now: number): void {
    const placed = () => this.#env.emit({ type: 'placed', session: session.id, port: session.ports.rtp.port })
    if (shared === undefined) placed()
    else this.#shared.place(shared, command, now, placed)
  }

  /** Why a leg on a shared port may be silent. */
  #withAwaited(event: EngineEvent): EngineEvent {
    if (event.type !== 'timeout') return event
    const awaited = this.#table.find(event.session)?.shared?.awaited
    return awaited === undefined ? event : { ...event, awaited }
  }

  /** Of a browser's leg: what was agreed on waits for the keys; otherwise the first words are lost. */
  #isReached(entry: Entry, link: BrowserLink, command: AgreeCommand, now: number): boolean {
    if (command.browser !== undefined) this.#browsers.agree(link, command.browser, now)
    if (!link.isSecure) entry.held = command
    return link.isSecure
  }

  #bridge(session: MediaSession, otherId: SessionId, now: number): void {
    this.#connections.part(session, now)
    const entry = this.#table.find(otherId)
    if (entry === undefined) return
    // Its ports are being bound: it will do the same then.
    if (entry.session === undefined) entry.waiting.push({ type: 'bridge', session: otherId, other: session.id })
    else this.#connections.bridge(session, entry.session, now)
  }

  #close(session: MediaSession, now: number): void {
    const entry = this.#table.find(session.id)
    if (entry?.session !== session) return
    this.#table.remove(session)
    this.#closing++
    // What others received of it last is read once more then, and that may be what had the fault.
    try {
      this.#connections.part(session, now)
      this.#plays.drop(entry)
    } finally {
      this.#end(session, entry, now)
    }
  }

  #end(session: MediaSession, entry: Entry, now: number): void {
    const closed = () => {
      this.#closing--
      this.#env.emit({ type: 'closed', session: session.id, stats: session.stats })
    }
    try {
      session.close(now, closed)
    } finally {
      if (entry.link !== undefined) this.#browsers.close(entry.link)
      else if (entry.shared !== undefined) this.#shared.close(entry.shared, now)
      else this.#ports.release(session.ports, now)
    }
  }
}
