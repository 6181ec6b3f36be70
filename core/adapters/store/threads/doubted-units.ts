import type { VoiceEvent } from '../../../events/voice-event.ts'
import type { Change } from '../../../ports/store.ts'
import type { LoggedEvent } from '../events.ts'
import { unitOf, type WrittenEvent } from './protocol.ts'
import type { LostCall } from './thread-link.ts'

/** A unit of work that its writer, which died, may have committed. */
interface DoubtedUnit {
  /** It commits whole or not at all: one of them in the log shows that all of it is written. */
  readonly events: readonly VoiceEvent[]
  /** How many of them were reported. */
  readonly reported: number
  fate: 'unknown' | 'written' | 'not-written'
}

/**
 * Units whose writer died before it answered. A call that ends tries its last unit again, alone or with others that were
 * refused: then what is in the database already is left out. Changes are known as the objects that they are. A unit without
 * an event may be written twice: settling a hold that is settled, and setting a row's fields again, change nothing.
 */
export class DoubtedUnits {
  readonly #unitOf = new WeakMap<Change, DoubtedUnit>()
  #unknown: DoubtedUnit[] = []

  /** The writer has died; these have no answer. */
  add(calls: readonly LostCall[]): void {
    for (const { call, reported } of calls) {
      const changes = unitOf(call)
      const events = changes.flatMap(change => (change.type === 'event.append' ? change.event : []))
      if (events.length === 0) continue
      const unit: DoubtedUnit = { events, reported, fate: reported > 0 ? 'written' : 'unknown' }
      for (const change of changes) this.#unitOf.set(change, unit)
      this.#unknown.push(unit)
    }
  }

  /** Events that the next writer is to look for. */
  get events(): readonly string[] {
    return this.#unknown.flatMap(({ events }) => events.map(({ uuid }) => uuid))
  }

  /** The next writer has found these; gives those of them that were not reported. */
  settle(written: readonly WrittenEvent[]): readonly LoggedEvent[] {
    const seqOf = new Map(written.map(({ uuid, seq }) => [uuid, seq]))
    const missed = new Map<string, VoiceEvent>()
    for (const unit of this.#unknown) {
      const isWritten = unit.reported > 0 || unit.events.some(({ uuid }) => seqOf.has(uuid))
      unit.fate = isWritten ? 'written' : 'not-written'
      for (const event of unit.events.slice(unit.reported)) missed.set(event.uuid, event)
    }
    this.#unknown = []
    return written.flatMap(({ uuid, seq }) => {
      const event = missed.get(uuid)
      return event === undefined ? [] : { seq, event }
    })
  }

  /** What of a unit is still to be written; undefined: no writer has looked yet. */
  leftOf(unit: readonly Change[]): readonly Change[] | undefined {
    const fates = unit.map(change => this.#unitOf.get(change)?.fate)
    if (fates.includes('unknown')) return undefined
    return fates.includes('written') ? unit.filter((_, at) => fates[at] !== 'written') : unit
  }
}
