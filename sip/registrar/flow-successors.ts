import { type Flow, isReliable } from '../network/flow.ts'

const remembered = 10_000
const longestChain = 16

/**
 * Which connection stands for one that a phone had before: messages of its dialogs go there. A phone that lost its
 * WebSocket comes back with the same instance over a new one, and its calls go on (RFC 5626 §4.4).
 */
export class FlowSuccessors {
  readonly #next = new Map<number, Flow>()

  /** A UDP socket is shared by all, and never replaced. */
  replace(old: Flow, flow: Flow): void {
    if (old.socket === undefined || flow.socket === undefined || old.socket === flow.socket) return
    if (!isReliable(old.transport) || !isReliable(flow.transport)) return
    const [first] = this.#next.keys()
    if (this.#next.size >= remembered && first !== undefined) this.#next.delete(first)
    this.#next.delete(flow.socket)
    this.#next.set(old.socket, flow)
  }

  /** The flow itself when nothing has replaced it. */
  current(flow: Flow): Flow {
    let found = flow
    for (let step = 0; step < longestChain && found.socket !== undefined; step++) {
      const next = isReliable(found.transport) ? this.#next.get(found.socket) : undefined
      if (next === undefined) return found
      found = next
    }
    return found
  }
}
