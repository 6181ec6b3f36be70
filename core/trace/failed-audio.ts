import type { EndFacts } from './end-facts.ts'

type Fields = Readonly<Record<string, unknown>>
type Wanted = Pick<EndFacts, 'source' | 'text'>

const text = (value: unknown): string => String(value ?? '')

/** Finds what an event of failed audio is about: the event says why, the notes of the request say what was asked for. */
export class FailedAudio {
  readonly #wanted = new Map<string, Wanted>()
  /** What has failed and was not reported yet, by why; the oldest first. */
  readonly #failed = new Map<string, Wanted[]>()

  /** A note about audio by the id of its request. */
  note({ kind, id, source, text: spoken, detail, fault }: Fields): void {
    switch (kind) {
      case 'load':
        this.#wanted.set(text(id), { source: text(source) })
        return
      case 'say':
        this.#wanted.set(text(id), { text: text(spoken) })
        return
      case 'audio-failed':
        this.#fail(text(id), text(detail))
        return
      case 'played':
        if (fault !== undefined) this.#fail(text(id), text(fault))
        return
      default:
      // Others say nothing of it.
    }
  }

  /** Audio that was fetched ahead may have failed long before its verb begins, which is when it is reported. */
  reported(detail: string): Wanted {
    return this.#failed.get(detail)?.shift() ?? {}
  }

  #fail(id: string, why: string): void {
    const wanted = this.#wanted.get(id)
    if (wanted === undefined) return
    const failed = this.#failed.get(why)
    if (failed === undefined) this.#failed.set(why, [wanted])
    else failed.push(wanted)
  }
}
