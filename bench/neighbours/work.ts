import { setTimeout as sleep } from 'node:timers/promises'
import type { WorstOrder } from './ways.ts'

const json = { 'content-type': 'application/json' }

export interface Request {
  readonly key?: string
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
  /** The answer's body is read and dropped. */
  readonly isDropped?: boolean
}

/** The work of one account until it is stopped, and its result. */
export class Work {
  readonly order: WorstOrder
  readonly answers: Record<string, number> = {}
  done = 0
  isOver = false

  constructor(order: WorstOrder) {
    this.order = order
  }

  count(answer: string | number): void {
    this.done++
    this.note(answer)
  }

  /** Beside the answers: what else is to be seen of it. */
  note(what: string | number, times = 1): void {
    this.answers[what] = (this.answers[what] ?? 0) + times
  }

  async ask(
    method: string,
    path: string,
    { key = this.order.key, body, headers = json, isDropped = false }: Request = {},
  ): Promise<Readonly<Record<string, unknown>> | undefined> {
    try {
      const answer = await fetch(`${this.order.baseUrl}${path}`, {
        method,
        headers: { ...(key === '' ? {} : { authorization: `Bearer ${key}` }), ...headers },
        ...(body === undefined ? {} : { body }),
      })
      const bytes = await answer.arrayBuffer()
      this.count(answer.status)
      const text = isDropped ? '' : new TextDecoder().decode(bytes)
      return text.startsWith('{') ? JSON.parse(text) : undefined
    } catch (fault) {
      this.count(fault instanceof Error ? fault.name : 'error')
      await sleep(10)
      return undefined
    }
  }

  /** This many side by side, each one request after the other. */
  async sideBySide(width: number, one: (at: number) => Promise<unknown>): Promise<void> {
    await Promise.all(
      Array.from({ length: width }, async (_, line) => {
        for (let at = line; !this.isOver; at += width) await one(at)
      }),
    )
  }
}
