import { TextMap } from '../../sip/base/text-map.ts'
import { Call, type CallInput, type CallShare } from '../call/call.ts'
import { beginInbound, type InboundOffer, offerByTrunk, offerOnNet } from '../call/inbound.ts'
import { PlacedCall } from '../call/placed.ts'
import { beginSoftphone } from '../call/softphone.ts'
import { AccountLoads } from '../caps/account-loads.ts'
import { Caps } from '../caps/caps.ts'
import { TrunkLoads } from '../caps/trunk-loads.ts'
import { ConferenceRooms, type RoomCommand, type RoomEvent } from '../contract/conference-rooms.ts'
import type { CallEnvironment } from '../contract/environment.ts'
import type { ExchangeCommand } from '../contract/exchange-command.ts'
import type { ExchangeEvent } from '../contract/exchange-event.ts'
import { refusedBy } from '../contract/originate-order.ts'
import { drainRetrySeconds } from '../leg/release.ts'
import { SidSequence } from '../leg/sid.ts'
import type { AccountUuid, CallUuid, LegUuid, Sid, TrunkUuid } from '../model/ids.ts'
import type { PhoneCaller } from '../model/phone.ts'
import type { SignalingCommand, SignalingEvent } from '../ports/signaling.ts'
import { DocumentCache } from '../verbs/index.ts'
import { CallRegister } from './call-register.ts'
import { DeadlineHeap } from './deadline-heap.ts'
import { Loopback, type LoopEvent } from './loopback.ts'

/** Among the deadlines of calls: when a drain ends those that still live. */
const drainDeadline = 'drain'

export interface ExchangeCounters {
  /** Calls begun since the start, refused ones included. */
  begun: number
  /** Events without a receiver: late for a call that is gone, or repeated. */
  absorbed: number
  /** Calls that ended by a fault of ours (END.5500). */
  crashed: number
  /** Callers turned away while draining. */
  turnedAway: number
}

/**
 * All live calls. Pure: events and the time go in, commands come out; an event is handled whole, and what it causes
 * comes back as events. A fault in one call ends that call and no other.
 */
export class Exchange {
  readonly counters: ExchangeCounters = { begun: 0, absorbed: 0, crashed: 0, turnedAway: 0 }
  readonly #env: CallEnvironment
  readonly #calls = new CallRegister()
  readonly #deadlines = new DeadlineHeap<Call | typeof drainDeadline>()
  readonly #accountLoads = new AccountLoads()
  /** Calls placed by phone token. */
  readonly #tokenLoads = new Caps()
  readonly #trunkLoads = new TrunkLoads()
  readonly #loopback: Loopback
  readonly #rooms: ConferenceRooms
  readonly #share: CallShare
  /** No new calls are taken; those that still live at the drain's deadline are ended. */
  #isDraining = false
  /** When that deadline was: each call that is not over is due to be ended. */
  #drainedAt: number | undefined
  /** Legs refused while draining, whose end is still to be reported. */
  readonly #refusedLegs = new TextMap<LegUuid, true>()
  /** What the present event causes; made for the first command. */
  #out: ExchangeCommand[] | undefined
  #pending: (ExchangeEvent | LoopEvent | RoomEvent)[] = []

  constructor(env: CallEnvironment) {
    this.#env = env
    this.#loopback = new Loopback(() => env.uuid() as LegUuid)
    this.#rooms = new ConferenceRooms(() => env.uuid())
    this.#share = {
      env,
      sids: new SidSequence(env),
      reading: {
        rules: { refusesSip: uri => env.sipTarget(uri)?.isRefused === true },
        documents: new DocumentCache(),
      },
      trunkLoads: this.#trunkLoads,
      accountLoads: this.#accountLoads,
      emit: command => this.#emit(command),
      claim: (leg, owner) => this.#calls.claim(leg.uuid, owner),
      absorbed: () => {
        this.counters.absorbed++
      },
    }
  }

  /** Calls that have not ended, of one account or of all. */
  live(account?: AccountUuid): readonly Call[] {
    return this.#calls.live(account)
  }

  find(sid: Sid): Call | undefined {
    return this.#calls.bySid(sid)
  }

  /** By uuid or sid; undefined: there is none, or it has no row yet. */
  known(id: string): Call | undefined {
    const call = this.#calls.bySid(id as Sid) ?? this.#calls.get(id as CallUuid)
    return call?.isKnown === true ? call : undefined
  }

  callOfLeg(legId: LegUuid): Call | undefined {
    return this.#calls.byLeg(legId)
  }

  /** Places of trunks, for calls that run outside of the exchange. */
  get trunkLoads(): Pick<TrunkLoads, 'take' | 'release'> {
    return this.#trunkLoads
  }

  /** Calls that are not wholly gone: live ones, beginning ones, and those whose last confirmations are awaited. */
  get size(): number {
    return this.#calls.size
  }

  /** No call, no leg and no place under a cap is left. For tests and for closing. */
  get isEmpty(): boolean {
    const isFree = this.#accountLoads.size === 0 && this.#tokenLoads.size === 0 && this.#trunkLoads.size === 0
    return isFree && this.#calls.isEmpty && this.#loopback.size === 0 && this.#rooms.size === 0
  }

  get isDraining(): boolean {
    return this.#isDraining
  }

  handle(event: ExchangeEvent, now: number): readonly ExchangeCommand[] {
    this.#dispatch(event, now)
    return this.#work(now)
  }

  /** Works off one deadline that has passed; where `deadline()` has passed too, there is one more. A thousand calls may be due at once. */
  timeout(now: number): readonly ExchangeCommand[] {
    const due = this.#deadlines.takeDue(now)
    if (due === drainDeadline) {
      this.#drainedAt = now
      for (const call of this.#calls.all()) if (!call.isOver) this.#deadlines.set(call, now)
    } else if (due !== undefined) {
      if (this.#drainedAt === undefined || due.isOver) this.#guard(due, () => due.timeout(now))
      else this.#run(due, now, () => due.finish('END.5503'))
    }
    return this.#work(now)
  }

  deadline(): number | undefined {
    return this.#deadlines.next()
  }

  /** Legs between two numbers of this switch make events for one another: they are worked off before it returns. */
  #work(now: number): readonly ExchangeCommand[] {
    for (let event = this.#pending.shift(); event !== undefined; event = this.#pending.shift()) {
      this.#dispatch(event, now)
    }
    const out = this.#out ?? nothing
    this.#out = undefined
    return out
  }

  #dispatch(event: ExchangeEvent | LoopEvent | RoomEvent, now: number): void {
    switch (event.type) {
      case 'leg.offered':
        if (event.endUser === undefined) this.#trunkOffer(event, now)
        else this.#phoneOffer(event, now)
        return
      case 'loop.offered':
        this.#offer(offerOnNet(event), now)
        return
      case 'call.originate':
        this.#originate(event, now)
        return
      case 'call.hangup':
        this.#hangUp(event, now)
        return
      case 'exchange.drain':
        this.#isDraining = true
        this.#deadlines.set(drainDeadline, event.deadline)
        return
      case 'exchange.resume':
        this.#isDraining = false
        this.#drainedAt = undefined
        this.#deadlines.set(drainDeadline, undefined)
        return
      default:
        this.#deliver(event, now)
    }
  }

  #deliver(event: CallInput, now: number): void {
    const call = 'legId' in event ? this.#calls.byLeg(event.legId) : this.#calls.get(event.callId)
    if (call !== undefined) {
      // Its turn has not come; what another call's end means to it is not why it ends.
      if (this.#drainedAt !== undefined) this.#run(call, now, () => call.finish('END.5503'))
      try {
        call.handle(event, now)
      } catch (fault) {
        this.#failed(call, fault)
      }
      this.#handled(call)
      return
    }
    if (event.type === 'leg.ended' && this.#refusedLegs.delete(event.legId)) return
    this.counters.absorbed++
  }

  #hangUp({ callId, reason = 'END.0201' }: Extract<ExchangeEvent, { type: 'call.hangup' }>, now: number): void {
    const call = this.#calls.get(callId)
    if (call !== undefined) this.#run(call, now, () => call.finish(reason))
  }

  #trunkOffer(event: TrunkOffered, now: number): void {
    const trunk = this.#env.trunks().find(({ uuid }) => uuid === event.trunkId)
    this.#offer(offerByTrunk(event, trunk), now)
  }

  #offer(offer: InboundOffer, now: number): void {
    if (this.#refusesNew(offer.legId)) return
    const call = this.#newCall(now)
    this.#run(call, now, () => beginInbound(call, offer))
  }

  #phoneOffer({ legId, endUser, from, to, sdp, source }: PhoneOffered, now: number): void {
    if (this.#refusesNew(legId)) return
    const call = this.#newCall(now)
    this.#run(call, now, () => beginSoftphone(call, { legId, endUser, to, sdp, source }, from.user, this.#tokenLoads))
  }

  #refusesNew(legId: LegUuid): boolean {
    if (!this.#isDraining) return false
    this.counters.turnedAway++
    this.#refusedLegs.set(legId, true)
    this.#emit({ type: 'leg.end', legId, reason: 'END.5503', retryAfterSeconds: drainRetrySeconds })
    return true
  }

  #originate({ requestId, order }: Extract<ExchangeEvent, { type: 'call.originate' }>, now: number): void {
    if (this.#isDraining) {
      this.counters.turnedAway++
      const result = refusedBy('END.5503', 'the switch is draining')
      this.#put({ type: 'originate.done', requestId, result })
      return
    }
    const call = this.#newCall(now)
    this.#run(call, now, () => new PlacedCall(call, requestId, order).begin())
  }

  #newCall(now: number): Call {
    this.counters.begun++
    const call = new Call(this.#share, now)
    this.#calls.add(call)
    return call
  }

  #run(call: Call, now: number, act: () => void): void {
    this.#guard(call, () => call.run(now, act))
  }

  #guard(call: Call, act: () => void): void {
    try {
      act()
    } catch (fault) {
      this.#failed(call, fault)
    }
    this.#handled(call)
  }

  #failed(call: Call, fault: unknown): void {
    this.counters.crashed++
    const detail = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)
    this.#put({ type: 'log', level: 'error', fields: { sid: call.sid, detail }, message: 'a call failed' })
    call.crash()
  }

  #handled(call: Call): void {
    this.#deadlines.set(call, call.isOver ? call.deadline() : (this.#drainedAt ?? call.deadline()))
    if (call.isGone) this.#forget(call)
  }

  #forget(call: Call): void {
    this.#deadlines.set(call, undefined)
    call.places.releaseAll(call.now())
    // A call that has crashed may not have left its room.
    for (const legId of this.#calls.forget(call)) this.#inRoom({ type: 'room.leave', legId })
  }

  #emit(command: ExchangeCommand): void {
    if (command.type === 'loop.dial') {
      this.#pending.push(...this.#loopback.dial(command))
      // For the trace: nothing leaves the exchange.
      this.#put(command)
    } else if (isOfRoom(command)) this.#inRoom(command)
    else if (isSignaling(command) && this.#loopback.has(command.legId)) {
      const found = command.type === 'leg.end' ? this.#loopback.circleOf(command.legId) : undefined
      if (found !== undefined) this.#put(found)
      this.#pending.push(...this.#loopback.execute(command))
    } else this.#put(command)
  }

  /** What it means for the room's other members reaches them as events of their own. */
  #inRoom(command: RoomCommand): void {
    const { events, media } = this.#rooms.handle(command)
    this.#pending.push(...events)
    for (const each of media) this.#put(each)
  }

  #put(command: ExchangeCommand): void {
    if (this.#out === undefined) this.#out = [command]
    else this.#out.push(command)
  }
}

const nothing: readonly ExchangeCommand[] = []

const isOfRoom = (command: ExchangeCommand): command is RoomCommand => command.type.startsWith('room.')

type TrunkOffered = Extract<SignalingEvent, { readonly trunkId: TrunkUuid }>
type PhoneOffered = Extract<SignalingEvent, { readonly endUser: PhoneCaller }>

const isSignaling = (command: ExchangeCommand): command is SignalingCommand => command.type.startsWith('leg.')
