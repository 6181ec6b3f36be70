import { NoticeLimit } from '../../base/notice-limit.ts'
import type { Flow } from '../../network/flow.ts'
import type { ReadRequest } from '../../transaction/read-incoming.ts'
import { subscriberOf } from '../../uri/format.ts'
import { callerOf } from './caller.ts'

/** A call from an address that is no peer's. */
export interface DroppedCall {
  readonly address: string
  readonly transport: Flow['transport']
  /** User parts, as it writes them. */
  readonly from: string
  readonly to: string
  /** Its messages since the last that was reported. */
  readonly dropped: number
}

/** A response from another address than its request went to. */
export interface ForeignResponse {
  readonly address: string
  /** Where the request went. */
  readonly expected: string
  /** How many from there since the last that was reported. */
  readonly dropped: number
}

/** Which dropped calls are worth a line to the operator: the first of an address, and one a minute of those that go on. */
export class UnknownSourceNotices {
  readonly #report: (call: DroppedCall) => void
  readonly #limit = new NoticeLimit()

  constructor(report: (call: DroppedCall) => void) {
    this.#report = report
  }

  /** A request of an unknown source was dropped. Only those that would have been calls are reported. */
  dropped({ request }: ReadRequest, now: number): void {
    if (request.message.method !== 'INVITE') return
    const { address, transport } = request.flow
    const dropped = this.#limit.count(address, now)
    if (dropped === undefined) return
    const to = request.uri === undefined ? '' : (subscriberOf(request.uri) ?? '')
    this.#report({ address, transport, from: callerOf(request).user, to, dropped })
  }
}
