import type { BrowserLink } from '../browser/browser-link.ts'
import type { EngineCommand, SessionId } from '../contract/command.ts'
import { readAheadOf } from '../net/network.ts'
import type { ProtectedPair } from '../net/protected-pair.ts'
import type { MediaSession } from '../session/media-session.ts'
import type { SharedLeg } from '../shared/shared-leg.ts'
import type { Played } from './play-loader.ts'

export type AgreeCommand = Extract<EngineCommand, { readonly type: 'agree' }>

/** A session and what is on its way to it. */
export interface Entry extends Played {
  /** Commands that came before its ports were bound. */
  readonly waiting: EngineCommand[]
  /** Set for a browser's leg, with the agreement that it got before it had keys. */
  link: BrowserLink | undefined
  held: AgreeCommand | undefined
  /** Its packets may be protected by keys in SDP. */
  keyed: ProtectedPair | undefined
  /** It was opened on a port that legs share. */
  shared: SharedLeg | undefined
}

const firstPlaces = 256

const widened = (numbers: Float64Array): Float64Array<ArrayBuffer> => {
  const wider = new Float64Array(2 * numbers.length)
  wider.set(numbers)
  return wider
}

/** The sessions of a thread by their names, from the moment that they are asked for. */
export class SessionTable {
  /** Sessions whose ports are bound, for the tick: in an array, in no order. */
  readonly open: MediaSession[] = []
  /**
   * For each of them: until when it need not be asked for frames. In one array, as most of them are idle most of the
   * time.
   */
  idleUntil = new Float64Array(firstPlaces)
  /** The same of what can wait: recordings, reports. */
  quietUntil = new Float64Array(firstPlaces)
  /** What was read ahead last: without a use of it V8 would leave the reading out. */
  read = 0
  readonly #entries = new Map<SessionId, Entry>()

  get size(): number {
    return this.#entries.size
  }
  get ids(): readonly SessionId[] {
    return [...this.#entries.keys()]
  }

  find(id: SessionId): Entry | undefined {
    return this.#entries.get(id)
  }

  /** A place for a session that is to be; undefined when the name is taken. */
  reserve(id: SessionId): Entry | undefined {
    if (this.#entries.has(id)) return undefined
    const entry: Entry = {
      session: undefined,
      waiting: [],
      loading: undefined,
      begun: undefined,
      link: undefined,
      held: undefined,
      keyed: undefined,
      shared: undefined,
    }
    this.#entries.set(id, entry)
    return entry
  }

  /** There will be no session. */
  abandon(id: SessionId): void {
    this.#entries.delete(id)
  }

  fill(entry: Entry, session: MediaSession): void {
    entry.session = session
    const place = this.open.push(session) - 1
    if (place === this.idleUntil.length) {
      this.idleUntil = widened(this.idleUntil)
      this.quietUntil = widened(this.quietUntil)
    }
    this.idleUntil[place] = 0
    this.quietUntil[place] = 0
    session.place = place
    session.onWake = () => {
      this.idleUntil[session.place] = 0
    }
  }

  /** Reads ahead the next sessions that are to be asked for frames, from `from` downwards. Returns how many they are. */
  readAhead(from: number, now: number): number {
    let count = 0
    let read = 0
    for (let at = from; at >= 0 && count < readAheadOf; at--) {
      if (now < this.idleUntil[at]!) continue
      read += this.open[at]!.readAheadSending()
      count++
    }
    this.read = read
    return count
  }

  /** A command comes to it: it may have to record, or to listen. */
  disturb(session: MediaSession): void {
    if (session.place >= 0) this.quietUntil[session.place] = 0
  }

  /** The last of `open` takes its place there. */
  remove(session: MediaSession): void {
    this.#entries.delete(session.id)
    const at = this.open.indexOf(session)
    const last = this.open.pop()
    session.onWake = () => {}
    if (at === -1 || last === undefined || at === this.open.length) return
    this.open[at] = last
    this.idleUntil[at] = this.idleUntil[last.place]!
    this.quietUntil[at] = this.quietUntil[last.place]!
    last.place = at
  }
}
