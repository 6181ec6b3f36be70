import { NoticeLimit } from '../notice-limit.ts'
import { subscriberOf } from '../uri/format.ts'
import { callerOf } from './caller.ts'
import type { DroppedCall } from './input.ts'
import type { ReadRequest } from './read.ts'

/** Which dropped calls are worth a line to the operator: the first of an address, and one a minute of those that go on. */
export class StrangerNotices {
  readonly #tell: (call: DroppedCall) => void
  readonly #limit = new NoticeLimit()

  constructor(tell: (call: DroppedCall) => void) {
    this.#tell = tell
  }

  /** A request of an unknown source was dropped. Only those that would have been calls are told of. */
  dropped({ request, uri }: ReadRequest, now: number): void {
    if (request.message.method !== 'INVITE') return
    const { address, transport } = request.flow
    const dropped = this.#limit.count(address, now)
    if (dropped === undefined) return
    const to = uri === undefined ? '' : (subscriberOf(uri) ?? '')
    this.#tell({ address, transport, from: callerOf(request).user, to, dropped })
  }
}
