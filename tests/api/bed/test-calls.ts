import { randomUUID } from 'node:crypto'
import type { CallDoor } from '../../../api/base/door.ts'
import type { Calls } from '../../../core/adapters/store/calls.ts'
import { begunRow } from '../../../core/call/call-book.ts'
import type { OriginateRefusal, OriginateResult } from '../../../core/contract/originate-order.ts'
import type { LiveCallDump } from '../../../core/index.ts'
import { SidSequence } from '../../../core/leg/sid.ts'
import type { CallRecord } from '../../../core/model/call-record.ts'
import type { CallUuid } from '../../../core/model/ids.ts'
import type { Change } from '../../../core/ports/store.ts'

/** Places calls that only exist in the database: what the HTTP side is tried against without telephony. */
export class TestCalls implements CallDoor {
  readonly store: Calls
  readonly #sids = new SidSequence(Math)
  readonly #live = new Map<string, CallRecord>()
  /** What the next originate is refused with. */
  refusal: OriginateRefusal | undefined
  /** Why no call is taken now. */
  load: OriginateRefusal | undefined
  /** Held until it resolves. */
  gate: Promise<void> = Promise.resolve()
  placed = 0

  constructor(store: Calls) {
    this.store = store
  }

  refuseNewCalls() {
    return this.load
  }

  async originate(order: Parameters<CallDoor['originate']>[0]): Promise<OriginateResult> {
    await this.gate
    if (this.refusal !== undefined) return this.refusal
    const now = Date.now()
    const payload = order.customPayload
    const call = begunRow(
      {
        uuid: randomUUID() as CallUuid,
        sid: this.#sids.next(now),
        accountUuid: order.accountId,
        direction: order.to.startsWith('+') ? 'outbound' : 'internal',
        fromNumber: order.from,
        toNumber: order.to,
        customPayload: payload === undefined ? null : typeof payload === 'string' ? { value: payload } : payload,
      },
      now,
    )
    const { idempotencyKey: key, accountId: accountUuid } = order
    await this.insert(call, key === undefined ? [] : [{ type: 'idempotency.placed', accountUuid, key, call }])
    this.placed++
    return { ok: true, call }
  }

  async insert(call: CallRecord, alongWith: readonly Change[] = []): Promise<void> {
    await this.store.commit([{ type: 'call.insert', call }, ...alongWith])
    if (call.endedUnix === null) this.#live.set(call.uuid, call)
  }

  async hangup(account: Parameters<CallDoor['hangup']>[0], sid: string): Promise<CallRecord | undefined> {
    const call = await this.store.getBySid(account, sid)
    if (call === undefined || call.endedUnix !== null) return call
    const endedUnix = Date.now()
    const set = {
      status: 'failed',
      reasonCode: 'END.0201',
      endedUnix,
      durationSeconds: Math.ceil((endedUnix - (call.startedUnix ?? call.createdUnix)) / 1000),
      talkSeconds: 0,
    } as const
    await this.store.commit([{ type: 'call.update', uuid: call.uuid, set }])
    this.#live.delete(call.uuid)
    return this.store.getBySid(account, sid)
  }

  get(...args: Parameters<CallDoor['get']>) {
    return this.store.get(...args)
  }

  listTexts(...query: Parameters<CallDoor['listTexts']>) {
    return this.store.listTexts(...query)
  }

  list(...args: Parameters<CallDoor['list']>) {
    return this.store.list(...args)
  }

  /** A call that has just been placed: nothing of it is known but its row. */
  async dump(id: string): Promise<LiveCallDump | undefined> {
    const call = [...this.#live.values()].find(({ uuid, sid }) => uuid === id || sid === id)
    if (call === undefined) return undefined
    return {
      takenUnix: call.createdUnix,
      call,
      phase: 'live',
      waitsFor: ['1 answer of the document server'],
      document: undefined,
      dial: undefined,
      holds: [],
      deadlines: [{ name: 'placed:ring', dueInMs: 30_000 }],
      legs: this.live().flatMap(({ legs }) =>
        legs.map(({ leg }) => ({
          leg,
          state: 'dialled' as const,
          media: 'opening' as const,
          isAgreed: false,
          isReady: false,
          codec: undefined,
          room: undefined,
          sip: undefined,
          mediaLeg: undefined,
        })),
      ),
    }
  }

  live() {
    return [...this.#live.values()].map(call => ({
      call,
      legs: [
        {
          leg: {
            uuid: randomUUID() as never,
            callUuid: call.uuid,
            role: 'callee' as const,
            direction: 'outbound' as const,
            trunkName: 'carrier',
            number: call.toNumber,
            startedUnix: call.createdUnix,
            answeredUnix: null,
            endedUnix: null,
            reasonCode: '' as const,
            dial: null,
          },
          codec: undefined,
          room: undefined,
          media: undefined,
        },
      ],
    }))
  }

  liveOf(account: Parameters<CallDoor['liveOf']>[0]): number {
    return [...this.#live.values()].filter(call => call.accountUuid === account).length
  }
}
