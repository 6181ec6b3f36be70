import type { LegUuid } from '../../core/model/ids.ts'
import type { LegMediaStats } from '../../core/model/leg-quality.ts'
import type { MediaCommand } from '../../core/ports/media.ts'
import type { CallRig } from './call-rig.ts'

interface Session {
  plays: Map<string, { readonly done: () => void }>
  records: Map<string, { readonly since: number; done: boolean }>
  closed: boolean
}

export const unheard: LegMediaStats = {
  codec: 'PCMU',
  packetsReceived: 0,
  packetsSent: 0,
  packetsLost: 0,
  packetsLate: 0,
  packetsDropped: 0,
  jitterMs: 0,
  roundTripMs: undefined,
  lossPercent: 0,
  burstRatio: 1,
  oneWayMs: 0,
  rFactor: undefined,
  mos: undefined,
  far: undefined,
}

type World = Pick<CallRig, 'now' | 'at' | 'send' | 'mediaFault' | 'answersAreUseless' | 'endedMedia'>

/** Media that takes every offer, plays and records for as long as it is told, and tells the end of each. */
export class FakeMedia {
  readonly sessions = new Map<LegUuid, Session>()
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  execute(command: MediaCommand): void {
    const { legId } = command
    const session = this.sessions.get(legId)
    if (command.type === 'media.open') {
      this.sessions.set(legId, { plays: new Map(), records: new Map(), closed: false })
      this.#world.at(1, () => {
        if (this.sessions.get(legId)?.closed !== false) return
        if (this.#world.mediaFault?.(legId)) {
          this.#world.send({ type: 'media.failed', legId, fault: 'no-common-codec', reoffer: false })
          return
        }
        this.#world.send({ type: 'media.opened', legId, sdp: `sdp of ${legId}` })
        if (command.offer !== undefined) this.#world.send({ type: 'media.ready', legId, codec: 'PCMU' })
      })
      return
    }
    if (session === undefined || session.closed) return
    switch (command.type) {
      case 'media.answered':
        this.#world.at(1, () => {
          if (session.closed) return
          if (this.#world.answersAreUseless)
            this.#world.send({ type: 'media.failed', legId, fault: 'no-common-codec', reoffer: false })
          else this.#world.send({ type: 'media.ready', legId, codec: 'PCMA' })
        })
        return
      case 'media.reoffer':
        this.#world.at(1, () => this.#world.send({ type: 'media.reopened', legId, sdp: 'reanswer' }))
        return
      case 'media.play':
        this.#play(legId, session, command)
        return
      case 'media.stop':
        this.#stopPlay(session, command.playId)
        return
      case 'media.record-session': {
        session.records.set(command.recordId, { since: this.#world.now, done: false })
        // Told only once all that belongs into the file has come, late packets too.
        const toldAfter = command.rules.maxLengthMs + 800
        this.#world.at(toldAfter, () => this.#recorded(legId, session, command.recordId, 'max-length'))
        return
      }
      case 'media.record': {
        const record = { since: this.#world.now, done: false }
        session.records.set(command.recordId, record)
        this.#world.at(command.limits.maxLengthMs, () => this.#recorded(legId, session, command.recordId, 'max-length'))
        return
      }
      case 'media.stop-record':
        this.#world.at(1, () => this.#recorded(legId, session, command.recordId, 'stopped'))
        return
      case 'media.send-digits':
        this.#world.at(command.digits.length * 150, () =>
          this.#world.send({ type: 'media.digits-sent', legId, digitsId: command.digitsId }),
        )
        return
      case 'media.close':
        session.closed = true
        this.#world.at(1, () => {
          for (const playId of [...session.plays.keys()]) this.#stopPlay(session, playId)
          for (const recordId of session.records.keys()) this.#recorded(legId, session, recordId, 'closed')
          this.sessions.delete(legId)
          if (this.#world.endedMedia !== undefined)
            this.#world.send({ type: 'media.closed', legId, stats: this.#world.endedMedia })
        })
        return
      default:
        return
    }
  }

  #play(legId: LegUuid, session: Session, command: Extract<MediaCommand, { type: 'media.play' }>): void {
    for (const playId of [...session.plays.keys()]) this.#stopPlay(session, playId)
    let isDone = false
    const end = (completed: boolean) => {
      if (isDone) return
      isDone = true
      session.plays.delete(command.playId)
      this.#world.send({ type: 'media.played', legId, playId: command.playId, completed })
    }
    session.plays.set(command.playId, { done: () => end(false) })
    const onceMs = command.source.kind === 'file' ? Number(command.source.path.split('/').at(-1)) : 200
    if (command.loop > 0) this.#world.at(onceMs * command.loop, () => end(true))
  }

  #stopPlay(session: Session, playId: string): void {
    const play = session.plays.get(playId)
    session.plays.delete(playId)
    if (play !== undefined) this.#world.at(0, () => play.done())
  }

  #recorded(legId: LegUuid, session: Session, recordId: string, endedBy: 'max-length' | 'stopped' | 'closed'): void {
    const record = session.records.get(recordId)
    if (record === undefined || record.done) return
    record.done = true
    const durationMs = Math.round(this.#world.now - record.since)
    this.#world.send({ type: 'media.recorded', legId, recordId, durationMs, sizeBytes: 44 + durationMs * 16, endedBy })
  }
}
