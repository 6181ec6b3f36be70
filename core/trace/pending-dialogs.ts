import { TextMap } from '../../sip/base/text-map.ts'
import type { LegUuid } from '../model/ids.ts'

/** Beyond this the oldest are dropped: INVITEs of unknown sources never find a leg. */
const maxDialogs = 2000
const maxMessages = 12

interface WaitingMessage {
  readonly unixMs: number
  /** With secrets covered. */
  readonly payload: Buffer
}

/** Messages of dialogs whose leg is not known yet: challenges, and what goes out while the call begins. */
export class PendingDialogs {
  readonly #messages = new Map<string, WaitingMessage[]>()
  readonly #names = new TextMap<LegUuid, string>()

  has(callId: string): boolean {
    return this.#messages.has(callId)
  }

  add(callId: string, message: WaitingMessage): void {
    const waiting = this.#messages.get(callId)
    if (waiting !== undefined) {
      if (waiting.length < maxMessages) waiting.push(message)
      return
    }
    this.#messages.set(callId, [message])
    if (this.#messages.size > maxDialogs) this.#messages.delete(this.#messages.keys().next().value!)
  }

  named(legId: LegUuid, callId: string): void {
    this.#names.set(legId, callId)
    if (this.#names.size > maxDialogs) this.#names.delete(this.#names.keys().next().value!)
  }

  /** Once. */
  nameOf(legId: LegUuid): string | undefined {
    const name = this.#names.get(legId)
    if (name !== undefined) this.#names.delete(legId)
    return name
  }

  take(callId: string): readonly WaitingMessage[] {
    const waiting = this.#messages.get(callId)
    if (waiting === undefined) return []
    this.#messages.delete(callId)
    return waiting
  }
}
