import { Room, type RoomHost } from './room.ts'
import type { RoomLink } from './room-link.ts'
import type { RoomTone } from './room-notices.ts'
import type { Seat } from './seat.ts'

interface Entry {
  readonly id: string
  readonly room: Room
}

/** All rooms of a thread, by name. A room is there while it has members. */
export class ThreadRooms {
  readonly #host: RoomHost
  readonly #entries: Entry[] = []
  readonly #entryOf = new Map<Seat, Entry>()

  constructor(host: RoomHost) {
    this.#host = {
      opus: host.opus,
      failed: (seat, error) => {
        this.#entryOf.delete(seat)
        host.failed(seat, error)
      },
    }
  }

  get size(): number {
    return this.#entries.length
  }

  /**
   * Adds a member; called again with another `isMuted`, it mutes or unmutes. A member of another room leaves that
   * one. `link` is called for a room that is new here. Returns false for a member that was in the room already.
   */
  join(id: string, seat: Seat, isMuted: boolean, link: () => RoomLink | undefined, now: number): boolean {
    const isNew = this.#entryOf.get(seat)?.id !== id
    if (isNew) this.leave(seat, now)
    let entry = this.#entries.find(known => known.id === id)
    if (entry === undefined) {
      entry = { id, room: new Room(this.#host, link(), now) }
      this.#entries.push(entry)
    }
    this.#entryOf.set(seat, entry)
    entry.room.join(seat, isMuted)
    return isNew
  }

  leave(seat: Seat, now: number): void {
    const entry = this.#entryOf.get(seat)
    if (entry === undefined) return
    this.#entryOf.delete(seat)
    try {
      entry.room.leave(seat, now)
    } finally {
      this.#closeIfEmpty(entry)
    }
  }

  /** A tone to all members of this member's room. */
  sound(seat: Seat, tone: RoomTone): void {
    this.#entryOf.get(seat)?.room.sound(tone)
  }

  tick(now: number, tickAt = now): void {
    // Backwards: a room whose members have failed is closed, and the last one takes its place.
    for (let i = this.#entries.length - 1; i >= 0; i--) {
      const entry = this.#entries[i]!
      try {
        entry.room.tick(now, tickAt)
      } catch (error) {
        this.#fail(entry, error)
      }
      this.#closeIfEmpty(entry)
    }
  }

  /** What goes wrong with the room itself ends it and its members, and no other. */
  #fail(entry: Entry, error: unknown): void {
    entry.room.close()
    for (const [seat, known] of [...this.#entryOf]) if (known === entry) this.#host.failed(seat, error)
  }

  #closeIfEmpty(entry: Entry): void {
    if (entry.room.size > 0) return
    const at = this.#entries.indexOf(entry)
    const last = this.#entries.pop()
    if (at !== -1 && last !== undefined && at < this.#entries.length) this.#entries[at] = last
    entry.room.close()
  }
}
