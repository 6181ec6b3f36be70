import type { SessionId } from '../engine/command.ts'
import { linkBytesOf, type SharedRoom } from '../mix/room-link.ts'

interface Place {
  readonly memory: SharedArrayBuffer
  readonly sessions: Set<SessionId>
}

/** The memory of each room whose members may live on several threads. It is given up with the last of them. */
export class SharedRooms {
  readonly #threads: number
  readonly #rooms = new Map<string, Place>()
  readonly #roomOf = new Map<SessionId, string>()

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
      place = { memory: new SharedArrayBuffer(linkBytesOf(this.#threads)), sessions: new Set() }
      this.#rooms.set(room, place)
    }
    place.sessions.add(session)
    this.#roomOf.set(session, room)
    return { memory: place.memory, part, parts: this.#threads }
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
