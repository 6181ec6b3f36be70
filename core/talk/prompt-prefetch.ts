import type { AudioEvent } from '../ports/audio.ts'
import type { SoundCommand } from '../verbs/index.ts'

/** Age at which prepared audio is requested again: its source may have changed, and our copy may be deleted. */
export const prefetchKeepsMs = 50_000

interface Expected {
  readonly requestId: string
  readonly likeness: string
  /** When it arrived. */
  at: number
  /** Its result, ready or failed, and the latest event about its growth. */
  events: readonly AudioEvent[]
}

export type Taken =
  | { readonly is: 'unknown' | 'under-way' }
  /** As it came, a fault included: a fault is reported when its turn has come. */
  | { readonly is: 'here'; readonly events: readonly AudioEvent[] }

const unknown: Taken = { is: 'unknown' }

/** Requests the audio of the next prompt while the current one is played. Virtual time: `now` is monotonic ms. */
export class PromptPrefetch {
  #count = 0
  #expected: Expected | undefined
  /** Plays whose turn came before their audio did, or before all of it, by request. */
  readonly #awaited = new Map<string, string>()

  /** The id to ask for its audio with; undefined when that has been done. */
  expect(command: SoundCommand, now: number): string | undefined {
    const likeness = likenessOf(command)
    if (this.#expected?.likeness === likeness) return undefined
    this.#count++
    const requestId = `ahead:${this.#count}`
    this.#expected = { requestId, likeness, at: now, events: [] }
    return requestId
  }

  /** Its turn has come. `under-way`: `arrived` will give the event, with the id of this play. */
  take(command: SoundCommand, now: number): Taken {
    const expected = this.#expected
    if (expected === undefined || expected.likeness !== likenessOf(command)) return unknown
    this.#expected = undefined
    const { requestId } = expected
    const events = expected.events.map(event => ({ ...event, requestId: command.playId }))
    if (events.length > 0 && now - expected.at > prefetchKeepsMs) return unknown
    if (events.length === 0 || mayGrow(expected.events)) this.#awaited.set(requestId, command.playId)
    return events.length === 0 ? { is: 'under-way' } : { is: 'here', events }
  }

  /** Audio came, or failed. The event for the play that waits for it; undefined: kept, or not wanted any more. */
  arrived(event: AudioEvent, now: number): AudioEvent | undefined {
    const { requestId } = event
    if (!requestId.startsWith('ahead:')) return event
    const playId = this.#awaited.get(requestId)
    if (!mayGrow([event])) this.#awaited.delete(requestId)
    if (playId !== undefined) return { ...event, requestId: playId }
    const expected = this.#expected
    if (expected?.requestId === requestId) {
      expected.events = [...expected.events.slice(0, 1), event]
      expected.at = now
    }
    return undefined
  }
}

const mayGrow = (events: readonly AudioEvent[]): boolean => {
  const last = events.at(-1)
  return last?.type === 'audio.ready' ? last.isGrowing === true : last?.type === 'audio.grown' && !last.isWhole
}

const likenessOf = (command: SoundCommand): string =>
  JSON.stringify(
    command.type === 'play' ? command.source : [command.text, command.ssml, command.voice, command.language],
  )
