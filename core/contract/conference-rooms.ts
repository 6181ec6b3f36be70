import { TextMap } from '../../sip/base/text-map.ts'
import type { AccountUuid, LegUuid } from '../model/ids.ts'
import type { MediaCommand } from '../ports/media.ts'

/** What a member brings to its room. */
interface RoomRules {
  readonly startOnEnter: boolean
  readonly endOnExit: boolean
  readonly beepOnExit: boolean
  readonly maxMembers: number
}

export type RoomCommand =
  /** Asks for a place: `room.entered` or `room.full` follows. */
  | {
      readonly type: 'room.enter'
      readonly legId: LegUuid
      readonly accountId: AccountUuid
      readonly name: string
      readonly rules: RoomRules
    }
  /** Receives now: `room.waiting` or `room.started` follows. */
  | { readonly type: 'room.attend'; readonly legId: LegUuid }
  | { readonly type: 'room.leave'; readonly legId: LegUuid }

export type RoomEvent =
  | { readonly type: 'room.entered' | 'room.full' | 'room.waiting' | 'room.ended'; readonly legId: LegUuid }
  /** `room`: its name for media; unique to this room. */
  | { readonly type: 'room.started'; readonly legId: LegUuid; readonly room: string }

interface RoomSteps {
  readonly events: readonly RoomEvent[]
  readonly media: readonly MediaCommand[]
}

/**
 * - `expected`: has a place, and is being answered
 * - `attending`: waits for the start, or is in the talk
 */
interface Member {
  readonly legId: LegUuid
  readonly rules: RoomRules
  state: 'expected' | 'attending'
}

/**
 * - `waiting`: for a participant who starts it
 * - `started`: all who attend receive each other's audio
 */
interface Room {
  readonly key: string
  readonly id: string
  readonly members: Member[]
  state: 'waiting' | 'started'
}

const nothing: RoomSteps = { events: [], media: [] }

/** The rooms of all accounts, by name. Members are legs of any calls; a room is there from its first to its last. */
export class ConferenceRooms {
  readonly #newId: () => string
  readonly #rooms = new Map<string, Room>()
  readonly #roomOf = new TextMap<LegUuid, Room>()

  constructor(newId: () => string) {
    this.#newId = newId
  }

  get size(): number {
    return this.#rooms.size
  }

  handle(command: RoomCommand): RoomSteps {
    switch (command.type) {
      case 'room.enter':
        return this.#enter(command)
      case 'room.attend':
        return this.#attend(command.legId)
      case 'room.leave':
        return this.#leave(command.legId)
    }
  }

  #enter({ legId, accountId, name, rules }: Extract<RoomCommand, { type: 'room.enter' }>): RoomSteps {
    if (this.#roomOf.has(legId)) return nothing
    const key = `${accountId} ${name}`
    const known = this.#rooms.get(key)
    if (known !== undefined && known.members.length >= rules.maxMembers) return onlyEvent({ type: 'room.full', legId })
    const room = known ?? this.#open(key)
    room.members.push({ legId, rules, state: 'expected' })
    this.#roomOf.set(legId, room)
    return onlyEvent({ type: 'room.entered', legId })
  }

  #attend(legId: LegUuid): RoomSteps {
    const room = this.#roomOf.get(legId)
    const member = room?.members.find(each => each.legId === legId)
    if (room === undefined || member?.state !== 'expected') return nothing
    member.state = 'attending'
    if (room.state === 'started') return onlyEvent(started(room, member))
    if (!member.rules.startOnEnter) return onlyEvent({ type: 'room.waiting', legId })
    room.state = 'started'
    // Members that waited come first, so they receive the tone of the new one.
    const others = attending(room).filter(each => each !== member)
    return { events: [...others, member].map(each => started(room, each)), media: [] }
  }

  #leave(legId: LegUuid): RoomSteps {
    const room = this.#roomOf.get(legId)
    const at = room?.members.findIndex(each => each.legId === legId) ?? -1
    const member = room?.members[at]
    if (room === undefined || member === undefined) return nothing
    this.#roomOf.delete(legId)
    room.members.splice(at, 1)
    if (member.state === 'attending' && member.rules.endOnExit) return this.#end(room)
    if (room.members.length === 0) this.#rooms.delete(room.key)
    const [witness] = attending(room)
    if (member.state === 'expected' || room.state === 'waiting' || witness === undefined) return nothing
    if (!member.rules.beepOnExit) return nothing
    return { events: [], media: [{ type: 'media.room-tone', legId: witness.legId, tone: 'leave' }] }
  }

  /** All members leave; a caller that was about to enter finds a new room. */
  #end(room: Room): RoomSteps {
    this.#rooms.delete(room.key)
    const out = attending(room)
    for (const { legId } of out) this.#roomOf.delete(legId)
    const expected = room.members.filter(each => each.state === 'expected')
    if (expected.length > 0) {
      const next = this.#open(room.key)
      next.members.push(...expected)
      for (const { legId } of expected) this.#roomOf.set(legId, next)
    }
    return { events: out.map(({ legId }) => ({ type: 'room.ended', legId })), media: [] }
  }

  #open(key: string): Room {
    const room: Room = { key, id: this.#newId(), members: [], state: 'waiting' }
    this.#rooms.set(key, room)
    return room
  }
}

const attending = (room: Room): readonly Member[] => room.members.filter(each => each.state === 'attending')

const started = (room: Room, { legId }: Member): RoomEvent => ({ type: 'room.started', legId, room: room.id })

const onlyEvent = (event: RoomEvent): RoomSteps => ({ events: [event], media: [] })
