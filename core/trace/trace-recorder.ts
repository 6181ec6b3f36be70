import type { ExchangeCommand } from '../contract/exchange-command.ts'
import type { ExchangeEvent } from '../contract/exchange-event.ts'
import type { CallUuid, LegUuid } from '../model/ids.ts'
import type { Clock } from '../ports/clock.ts'
import type { Change } from '../ports/store.ts'
import type { SipAddresses } from './sip-record.ts'
import { longestBody, noteOfChange, noteOfCommand, noteOfEvent } from './trace-notes.ts'
import type { TraceSink } from './trace-sink.ts'

/**
 * What the switch shows of its calls, as notes for a sink. It keeps nothing and never waits; secrets go to the sink, which
 * covers them before anything is kept. Times are Unix milliseconds with fractions.
 */
export class TraceRecorder {
  readonly #sink: TraceSink
  readonly #clock: Pick<Clock, 'now'>
  readonly #offsetMs: number

  /** `offsetMs`: from the clock's `now` to Unix milliseconds. */
  constructor(sink: TraceSink, clock: Pick<Clock, 'now'>, offsetMs = 0) {
    this.#sink = sink
    this.#clock = clock
    this.#offsetMs = offsetMs
  }

  // What the exchange receives and what it asks for.

  /** `callOf`: whose leg that is, after the event was handled. */
  event(event: ExchangeEvent, callOf: (legId: LegUuid) => CallUuid | undefined): void {
    if (event.type === 'leg.offered') {
      const callId = callOf(event.legId)
      if (callId === undefined) return
      const via = event.endUser === undefined ? 'trunk' : 'phone'
      this.#sink.leg(this.#now(), callId, event.legId, { role: 'caller', via, number: event.from.user })
      return
    }
    const note = noteOfEvent(event)
    if (note === undefined) return
    if (event.type === 'document.fetched') {
      const { bytes } = event
      const body = bytes.length > longestBody ? bytes.subarray(0, longestBody) : bytes
      this.#sink.document(this.#now(), event.callId, note, body)
    } else if ('legId' in event) this.#sink.note(this.#now(), '', event.legId, note)
    else if ('callId' in event) this.#sink.note(this.#now(), event.callId, '', note)
  }

  command(command: ExchangeCommand): void {
    switch (command.type) {
      case 'media.open': {
        // What else a leg leads to, `leg.dial` says. With an offer it is the caller's; of one from outside `leg.offered` said more.
        const via = command.onNet === true ? 'on-net' : undefined
        const role = command.offer === undefined ? 'callee' : 'caller'
        if (role === 'caller' && via === undefined) return
        this.#sink.leg(this.#now(), command.callId, command.legId, { role, via, opened: true })
        return
      }
      case 'loop.dial': {
        const facts = { role: 'callee', via: 'on-net', number: command.to }
        this.#sink.leg(this.#now(), command.callId, command.legId, facts)
        return
      }
      case 'store.commit':
        this.#unit(command.callId, command.unit)
        return
      case 'call.over': {
        const { uuid, sid, accountUuid, direction, fromNumber, toNumber, status, reasonCode, cost } = command.record
        const record = { uuid, sid, accountUuid, direction, fromNumber, toNumber, status, reasonCode, cost }
        this.#sink.over(this.#now(), command.callId, record)
        return
      }
      case 'caller.dialled': {
        const facts = { role: 'caller', via: 'on-net', dialledBy: command.by }
        this.#sink.leg(this.#now(), command.callId, command.legId, facts)
        return
      }
      case 'circle.found':
        this.#sink.note(this.#now(), command.callId, '', { kind: 'circle', number: command.number })
        return
      case 'verb.began':
        this.#sink.note(this.#now(), command.callId, '', { kind: 'verb', ...command.verb })
        return
      case 'leg.dial': {
        const { target, legId } = command
        const number = target.kind === 'trunk' ? target.number : target.kind === 'uri' ? target.uri : ''
        const trunk = target.kind === 'trunk' ? target.trunk.name : undefined
        const dialled = target.kind === 'trunk' ? target.dialled : undefined
        const facts = { role: 'callee', via: target.kind, number, trunk, dialled }
        this.#sink.leg(this.#now(), command.callId, legId, facts)
        return
      }
      default: {
        const note = noteOfCommand(command)
        if (note === undefined) return
        if ('legId' in command) this.#sink.note(this.#now(), '', command.legId, note)
        else if ('callId' in command) this.#sink.note(this.#now(), command.callId, '', note)
      }
    }
  }

  /** What the unit says of its call goes on together. */
  #unit(callId: CallUuid, unit: readonly Change[]): void {
    const unixMs = this.#now()
    let lines = ''
    for (const change of unit) {
      const note = noteOfChange(change)
      if (typeof note === 'string') lines = lines === '' ? note : `${lines}\n${note}`
      else if (note !== undefined) {
        if (lines !== '') this.#sink.lines(unixMs, callId, lines)
        lines = ''
        this.#sink.note(unixMs, callId, (note.legId ?? '') as LegUuid | '', note)
      }
    }
    if (lines !== '') this.#sink.lines(unixMs, callId, lines)
  }

  /** One try of a status callback. */
  callback(callId: CallUuid, tried: Readonly<Record<string, unknown>>): void {
    this.#sink.note(this.#now(), callId, '', { kind: 'webhook', ...tried })
  }

  // What the transport sees.

  /** The leg's dialog has this Call-ID: messages that were seen before belong to it. */
  dialog(legId: string, callId: string): void {
    this.#sink.dialog(legId as LegUuid, callId)
  }

  message(bytes: Uint8Array, addresses: SipAddresses, isSent: boolean): void {
    this.#sink.sip(this.#now(), bytes, addresses, isSent)
  }

  #now(): number {
    return this.#clock.now() + this.#offsetMs
  }
}
