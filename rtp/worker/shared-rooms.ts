import { TextMap } from '../../sip/base/text-map.ts'
import type { SessionId } from '../contract/command.ts'
import { linkBytesOf, type SharedRoom } from '../mix/room-link.ts'

/** Frames of different rooms are due in different ticks of the media clock. */
const phasesMs = [0, 5, 10, 15]

interface Place {
  readonly phaseMs: number
  readonly memory: SharedArrayBuffer
  readonly sessions: Set<SessionId>
}

/** The memory of each room whose members may live on several threads. It is given up with the last of them. */
export class SharedRooms {
  readonly #threads: number
  readonly #rooms = new Map<string, Place>()
  #opened = 0
  readonly #roomOf = new TextMap<SessionId, string>()

  constructor(threads: number) {
    this.#threads = threads
  }

  get size(): number {
    return this.#rooms.size
  }

  /** What the thread at `part` shares of the room that the session enters. */
  join(session: SessionId, room: string, part: number): SharedRoom {
    if (this.#roomOf.get(session) !== room) this.leave(session)
    let place = this.#rooms.get(room)
    if (place === undefined) {
      place = {
        phaseMs: phasesMs[this.#opened++ % phasesMs.length] ?? 0,
        memory: new SharedArrayBuffer(linkBytesOf(this.#threads)),
        sessions: new Set(),
      }
      this.#rooms.set(room, place)
    }
    place.sessions.add(session)
    this.#roomOf.set(session, room)
    return { memory: place.memory, part, parts: this.#threads, phaseMs: place.phaseMs }
  }

  leave(session: SessionId): void {
    const room = this.#roomOf.get(session)
    if (room === undefined) return
    this.#roomOf.delete(session)
    const place = this.#rooms.get(room)
    place?.sessions.delete(session)
    if (place?.sessions.size === 0) this.#rooms.delete(room)
  }
}
