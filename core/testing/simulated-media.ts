import type { LegUuid } from '../model/ids.ts'
import type { LegMediaStats } from '../model/leg-quality.ts'
import type { MediaCommand, MediaEvent } from '../ports/media.ts'

interface Session {
  plays: Map<string, { readonly done: () => void }>
  /** `isBeside`: of the whole call, beside its document. */
  records: Map<string, { readonly since: number; readonly isBeside: boolean; done: boolean }>
  bridged: boolean
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
  source: { address: '', state: 'closed', changes: 0, refused: 0, withheld: 0 },
}

/** What the simulation around it offers. */
interface MediaWorld {
  readonly now: number
  at(delayMs: number, act: () => void): void
  send(event: MediaEvent): void
  /** Whether the session of a leg cannot be made. Default: each can. */
  readonly mediaFault?: ((legId: LegUuid) => boolean) | undefined
  /** The answer of a remote cannot be used. Default false. */
  readonly answersAreUseless?: boolean
  /** What a session reports at its end; undefined: it never reports its end. */
  readonly endedMedia: LegMediaStats | undefined
  /** When the remote fell silent, or will, in virtual ms. Default: it never does. */
  silentFrom?(legId: LegUuid): number
}

/** Media that takes every offer, plays and records for as long as the test says, and reports the end of each. */
export class SimulatedMedia {
  readonly sessions = new Map<LegUuid, Session>()
  readonly #world: MediaWorld

  constructor(world: MediaWorld) {
    this.#world = world
  }

  /** The leg plays no prompt, is not bridged, and no Record verb records it. */
  isSilent(legId: LegUuid): boolean {
    const session = this.sessions.get(legId)
    if (session === undefined || session.closed) return false
    return session.plays.size === 0 && !session.bridged && !this.isRecording(legId)
  }

  /** A Record verb records the leg now. */
  isRecording(legId: LegUuid): boolean {
    const records = this.sessions.get(legId)?.records.values() ?? []
    return [...records].some(record => !record.done && !record.isBeside)
  }

  execute(command: MediaCommand): void {
    const { legId } = command
    const session = this.sessions.get(legId)
    if (command.type === 'media.open') {
      this.sessions.set(legId, { plays: new Map(), records: new Map(), bridged: false, closed: false })
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
      case 'media.bridge':
      case 'media.unbridge':
        this.#setBridged(command)
        return
      case 'media.play':
        this.#play(legId, session, command)
        return
      case 'media.stop':
        this.#stopPlay(session, command.playId)
        return
      case 'media.record-session': {
        session.records.set(command.recordId, { since: this.#world.now, isBeside: true, done: false })
        // Reported only once all that belongs into the file has come, late packets too.
        const toldAfter = command.rules.maxLengthMs + 800
        this.#world.at(toldAfter, () => this.#recorded(legId, session, command.recordId, 'max-length'))
        return
      }
      case 'media.record': {
        const record = { since: this.#world.now, isBeside: false, done: false }
        session.records.set(command.recordId, record)
        this.#world.at(command.limits.maxLengthMs, () => this.#recorded(legId, session, command.recordId, 'max-length'))
        if (command.limits.silenceMs > 0) this.#watchSilence(legId, session, command.recordId, command.limits.silenceMs)
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

  #setBridged(command: Extract<MediaCommand, { type: 'media.bridge' | 'media.unbridge' }>): void {
    const legs = command.type === 'media.bridge' ? [command.legId, command.otherLegId] : [command.legId]
    for (const legId of legs) {
      const session = this.sessions.get(legId)
      if (session !== undefined) session.bridged = command.type === 'media.bridge'
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

  #watchSilence(legId: LegUuid, session: Session, recordId: string, silenceMs: number): void {
    const record = session.records.get(recordId)
    const silentFrom = this.#world.silentFrom?.(legId)
    if (record === undefined || record.done || silentFrom === undefined) return
    const endsAt = Math.max(record.since, silentFrom) + silenceMs
    if (endsAt <= this.#world.now) this.#recorded(legId, session, recordId, 'silence')
    else this.#world.at(endsAt - this.#world.now, () => this.#watchSilence(legId, session, recordId, silenceMs))
  }

  #recorded(
    legId: LegUuid,
    session: Session,
    recordId: string,
    endedBy: 'silence' | 'max-length' | 'stopped' | 'closed',
  ): void {
    const record = session.records.get(recordId)
    if (record === undefined || record.done) return
    record.done = true
    const durationMs = Math.round(this.#world.now - record.since)
    this.#world.send({ type: 'media.recorded', legId, recordId, durationMs, sizeBytes: 44 + durationMs * 16, endedBy })
  }
}
