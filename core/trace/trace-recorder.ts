import type { ExchangeCommand } from '../contract/exchange-command.ts'
import type { ExchangeEvent } from '../contract/exchange-event.ts'
import type { CallUuid, LegUuid } from '../model/ids.ts'
import type { SipAddresses } from './sip-record.ts'
import { longestBody, noteOfCommand, noteOfEvent, notesOfUnit } from './trace-notes.ts'
import type { TraceSink } from './trace-sink.ts'

/**
 * What the switch shows of its calls, as notes for a sink. It keeps nothing and never waits; secrets go to the sink, which
 * covers them before anything is kept. Times are Unix milliseconds with fractions, from `now`.
 */
export class TraceRecorder {
  readonly #sink: TraceSink
  readonly #now: () => number

  constructor(sink: TraceSink, now: () => number) {
    this.#sink = sink
    this.#now = now
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
        // What else a leg leads to, `leg.dial` says.
        const via = command.onNet === true ? 'on-net' : undefined
        this.#sink.leg(this.#now(), command.callId, command.legId, { role: 'callee', via, opened: true })
        return
      }
      case 'store.commit':
        for (const note of notesOfUnit(command.unit))
          this.#sink.note(this.#now(), command.callId, (note.legId ?? '') as LegUuid | '', note)
        return
      case 'call.over': {
        const { uuid, sid, accountUuid, direction, fromNumber, toNumber, status, reasonCode, cost } = command.record
        const record = { uuid, sid, accountUuid, direction, fromNumber, toNumber, status, reasonCode, cost }
        this.#sink.over(this.#now(), command.callId, record)
        return
      }
      case 'leg.dial': {
        const { target, legId } = command
        const number = target.kind === 'trunk' ? target.number : target.kind === 'uri' ? target.uri : ''
        const trunk = target.kind === 'trunk' ? target.trunk.name : undefined
        this.#sink.leg(this.#now(), command.callId, legId, { role: 'callee', via: target.kind, number, trunk })
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

  /** A verb of a document begins. */
  verb(
    callId: CallUuid,
    verb: { readonly name: string; readonly line: number; readonly column: number; readonly url: string },
  ): void {
    this.#sink.note(this.#now(), callId, '', { kind: 'verb', ...verb })
  }

  /** One try of a status callback. */
  callback(callId: CallUuid, tried: Readonly<Record<string, unknown>>): void {
    this.#sink.note(this.#now(), callId, '', { kind: 'webhook', ...tried })
  }

  // What the transport sees.

  /** The leg's dialog has this Call-ID: messages that were seen before belong to it. */
  dialog(legId: LegUuid, callId: string): void {
    this.#sink.dialog(legId, callId)
  }

  sip(bytes: Uint8Array, addresses: SipAddresses, isSent: boolean): void {
    this.#sink.sip(this.#now(), bytes, addresses, isSent)
  }
}
