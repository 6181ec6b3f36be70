import type { OpusCoders } from '../codec/opus.ts'
import type { EngineCommand } from '../contract/command.ts'
import { RoomLink } from '../mix/room-link.ts'
import { ThreadRooms } from '../mix/thread-rooms.ts'
import type { MediaSession } from '../session/media-session.ts'
import type { FaultGuard } from './fault-guard.ts'

type JoinCommand = Extract<EngineCommand, { readonly type: 'join' }>
type ToneCommand = Extract<EngineCommand, { readonly type: 'room-tone' }>

/** Which session receives which on a thread: sessions in pairs, and sessions in rooms. A session is in one pair or one room. */
export class Connections {
  readonly #clockOffsetMs: number
  readonly #rooms: ThreadRooms
  readonly #inRooms = new Set<MediaSession>()

  /** `clockOffsetMs`: to be added to this thread's times for those of a clock that all threads share. */
  constructor(opus: OpusCoders, clockOffsetMs: number, guard: FaultGuard) {
    this.#clockOffsetMs = clockOffsetMs
    this.#rooms = new ThreadRooms({
      opus,
      failed: (seat, error) => {
        for (const session of this.#inRooms) {
          if (session.seat !== seat) continue
          this.#inRooms.delete(session)
          guard.fail(session, error)
        }
      },
    })
  }

  /** The two receive each other from now on, and no other. */
  bridge(session: MediaSession, other: MediaSession, now: number): void {
    if (session === other) return
    for (const each of [session, other]) this.part(each, now)
    session.bridge(other)
    other.bridge(session)
  }

  unbridge(session: MediaSession): void {
    session.other?.bridge(undefined)
    session.bridge(undefined)
  }

  join(session: MediaSession, { room, muted, shared }: JoinCommand, now: number): void {
    this.unbridge(session)
    const link = () => shared && new RoomLink(shared, this.#clockOffsetMs)
    this.#inRooms.add(session)
    if (this.#rooms.join(room, session.seat, muted, link, now)) session.enterRoom()
  }

  leave(session: MediaSession, now: number): void {
    if (this.#inRooms.delete(session)) this.#rooms.leave(session.seat, now)
  }

  sound(session: MediaSession, { tone }: ToneCommand): void {
    this.#rooms.sound(session.seat, tone)
  }

  /** No other session receives it any more. */
  part(session: MediaSession, now: number): void {
    this.unbridge(session)
    this.leave(session, now)
  }

  tick(now: number, tickAt: number): void {
    this.#rooms.tick(now, tickAt)
  }
}
