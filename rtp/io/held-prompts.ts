import type { Prompt, PromptFault } from '../contract/prompts.ts'
import type { NextTurn } from './prompt-encoder.ts'

/** What a prompt needs while it is made. */
export interface Making {
  /** Rejects once no request waits for it, and no leg plays it. */
  readonly nextTurn: NextTurn
  /** It can be played from now on. */
  begun(prompt: Prompt): void
  /** Memory that it will take; false when there is no room. */
  reserve(bytes: number): boolean
}

interface Job {
  readonly playable: Promise<Prompt | PromptFault>
  /** Whether those who asked for it still want it. */
  readonly wanted: (() => boolean)[]
  bytes: number
  prompt: Prompt | undefined
}

const bytesOf = ({ bytes, ends }: Prompt): number => bytes.byteLength + (ends?.byteLength ?? 0)

/**
 * The prompts of a thread: some are kept, the least recently played going first; others are being made, or were too large
 * to be kept and are still played. A later request for one of them shares it.
 */
export class HeldPrompts {
  readonly making = new Map<string, Job>()
  readonly #mostKept: number
  readonly #mostPlayed: number
  /** In order of use. */
  readonly #kept = new Map<string, Prompt>()
  /** Those that are not kept, as long as somebody has them. */
  readonly #others = new Map<string, WeakRef<Prompt>>()
  #keptBytes = 0

  constructor(mostKept: number, mostPlayed: number) {
    this.#mostKept = mostKept
    this.#mostPlayed = mostPlayed
  }

  get keptBytes(): number {
    return this.#keptBytes
  }

  /** Bytes of prompts that are made now, or played and not kept. */
  get playedBytes(): number {
    let sum = 0
    for (const { bytes, prompt } of this.making.values()) sum += Math.max(bytes, prompt ? bytesOf(prompt) : 0)
    for (const [key, other] of this.#others) {
      const prompt = other.deref()
      if (prompt === undefined) this.#others.delete(key)
      else if (prompt.players !== undefined && prompt.players.count > 0) sum += bytesOf(prompt)
    }
    return sum
  }

  used(key: string): Prompt | undefined {
    const kept = this.#kept.get(key)
    if (kept === undefined) return this.#others.get(key)?.deref()
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    return kept
  }

  /** The prompt with that key, if it is being made. */
  join(key: string, isWanted: () => boolean): Promise<Prompt | PromptFault> | undefined {
    const job = this.making.get(key)
    job?.wanted.push(isWanted)
    return job?.playable
  }

  /** Answers as soon as it can be played. */
  make(
    key: string,
    isWanted: () => boolean,
    turn: NextTurn,
    work: (making: Making) => Promise<Prompt | PromptFault>,
  ): Promise<Prompt | PromptFault> {
    const { promise: playable, resolve } = Promise.withResolvers<Prompt | PromptFault>()
    const job: Job = { playable, wanted: [isWanted], bytes: 0, prompt: undefined }
    this.making.set(key, job)
    const nextTurn: NextTurn = async isBeginning => {
      await turn(isBeginning)
      if (job.wanted.some(wants => wants()) || (job.prompt?.players?.count ?? 0) > 0) return
      // A request from now on has it made again.
      this.making.delete(key)
      throw new Error('no request wants it')
    }
    const begun = (prompt: Prompt) => {
      job.prompt = prompt
      resolve(prompt)
    }
    const reserve = (bytes: number) => {
      if (this.playedBytes + bytes > this.#mostPlayed) return false
      job.bytes = bytes
      return true
    }
    void work({ nextTurn, begun, reserve })
      .catch((): PromptFault => 'unreadable')
      .then(prompt => {
        if (this.making.get(key) === job) this.making.delete(key)
        resolve(prompt)
      })
    return playable
  }

  keep(key: string, prompt: Prompt): void {
    if (prompt.bytes.length > this.#mostKept) {
      this.#others.set(key, new WeakRef(prompt))
      return
    }
    this.#kept.set(key, prompt)
    this.#keptBytes += prompt.bytes.length
    for (const [oldest, old] of this.#kept) {
      if (this.#keptBytes <= this.#mostKept) return
      this.#kept.delete(oldest)
      this.#others.set(oldest, new WeakRef(old))
      this.#keptBytes -= old.bytes.length
    }
  }
}
