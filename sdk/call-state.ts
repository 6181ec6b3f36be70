import type { EndReason } from './base/end-reason.ts'

/** `trying`: dialled, no word of the remote yet. `ringing`: there, or here for an inbound call. */
export type CallState = 'trying' | 'ringing' | 'answering' | 'accepted' | 'ended'

const order: readonly CallState[] = ['trying', 'ringing', 'answering', 'accepted', 'ended']

/** How far a call has come. It may leave states out, and never goes back. */
export class CallProgress {
  state: CallState
  /** When it was accepted. */
  acceptedUnix: number | undefined
  endReason: EndReason | undefined
  readonly #changed: () => void

  constructor(state: CallState, changed: () => void) {
    this.state = state
    this.#changed = changed
  }

  /** False: it is there already, or further, and nothing changed. */
  enter(state: CallState): boolean {
    if (order.indexOf(state) <= order.indexOf(this.state)) return false
    this.state = state
    if (state === 'accepted') this.acceptedUnix = Date.now()
    this.#changed()
    return true
  }
}
