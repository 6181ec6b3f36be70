import { assertNever } from '../model/assert-never.ts'
import type { SessionRecordOptions, SessionRecordOrder } from '../verbs/index.ts'
import type { CallRecordings } from './call-recordings.ts'
import type { Party } from './party.ts'
import type { Player } from './player.ts'

/**
 * - `off`
 * - `awaiting`: it begins with the answer
 * - `on`: recorded, or paused, until it is stopped, is long enough, or the call ends
 */
type State =
  | { readonly at: 'off' }
  | {
      readonly at: 'awaiting'
      readonly options: SessionRecordOptions
      readonly playBeep: boolean
      readonly isPaused: boolean
    }
  | { readonly at: 'on'; readonly recordId: string; readonly fullAt: number }

export interface RecordedParty {
  readonly party: Party
  readonly player: Player
}

/** The recording that RecordSession has begun: one at a time, independent of the document's other verbs. */
export class SessionRecording {
  readonly #now: () => number
  readonly #recorder: CallRecordings
  /** Undefined while there is no leg to record. */
  readonly #whom: () => RecordedParty | undefined
  #state: State = { at: 'off' }

  /** `now`: ms of a clock that only goes on. */
  constructor(now: () => number, recorder: CallRecordings, whom: () => RecordedParty | undefined) {
    this.#now = now
    this.#recorder = recorder
    this.#whom = whom
  }

  perform(order: SessionRecordOrder): void {
    switch (order.state) {
      case 'start':
        if (this.#isUnderWay) return
        if (this.#state.at === 'on') this.#recorder.stop(this.#state.recordId)
        this.#state = { at: 'awaiting', options: order.options, playBeep: order.playBeep, isPaused: false }
        this.answered()
        return
      case 'pause':
      case 'resume':
        this.#pause(order.state === 'pause')
        return
      case 'stop':
        if (this.#state.at === 'on') this.#recorder.stop(this.#state.recordId)
        this.#state = { at: 'off' }
        return
      default:
        assertNever(order)
    }
  }

  /** The party may have been answered: what awaited it begins. */
  answered(): void {
    const state = this.#state
    const whom = this.#whom()
    if (state.at !== 'awaiting' || whom?.party.isAnswered !== true) return
    if (state.playBeep) whom.player.notify('beep')
    const recordId = this.#recorder.startSession(whom.party.leg, state.options, () => {
      // By itself: at its greatest length, or with the disk full.
      if (this.#state.at === 'on' && this.#state.recordId === recordId) this.#state = { at: 'off' }
    })
    // It was refused: another start may begin one.
    if (!this.#recorder.isRunning(recordId)) {
      this.#state = { at: 'off' }
      return
    }
    this.#state = { at: 'on', recordId, fullAt: this.#now() + state.options.maxLengthMs }
    if (state.isPaused) this.#pause(true)
  }

  /** The end of one that is long enough is reported only when all that belongs into it has come. */
  get #isUnderWay(): boolean {
    return this.#state.at === 'on' ? this.#now() < this.#state.fullAt : this.#state.at === 'awaiting'
  }

  #pause(isPaused: boolean): void {
    const state = this.#state
    if (state.at === 'awaiting') this.#state = { ...state, isPaused }
    if (state.at === 'on') this.#recorder.pause(state.recordId, isPaused)
  }
}
