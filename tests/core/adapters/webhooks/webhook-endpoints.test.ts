import { randomUUID } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { SignedPost } from '../../../../core/adapters/http/http-client.ts'
import type { HttpAnswer, HttpClient } from '../../../../core/adapters/http/index.ts'
import { silentLog } from '../../../../core/adapters/system/silent-log.ts'
import { CallbackDelivery } from '../../../../core/adapters/webhooks/callback-delivery.ts'
import type { AccountUuid } from '../../../../core/model/ids.ts'
import { addAccount, callOf, eventOf, openBed, type StoreBed, type TestClock } from '../../bed/store-bed.ts'

/**
 * Five kinds of bad endpoint and a good one, in virtual time: how long an exchange with each takes, and how the HTTP
 * client tells its end (tests/live/http-client.test.ts holds that over sockets).
 */
const kinds = {
  refuses: { tookMs: 0, answer: { ok: false, fault: 'transport', detail: 'ECONNREFUSED' } },
  hangs: { tookMs: 10_000, answer: { ok: false, fault: 'timeout', detail: '' } },
  trickles: { tookMs: 10_000, answer: { ok: false, fault: 'timeout', detail: '' } },
  floods: { tookMs: 1000, answer: { ok: false, fault: 'too-large', detail: '' } },
  fails: {
    tookMs: 200,
    answer: { ok: true, status: 500, contentType: '', etag: '', location: '', body: new Uint8Array() },
  },
  good: {
    tookMs: 5,
    answer: { ok: true, status: 204, contentType: '', etag: '', location: '', body: new Uint8Array() },
  },
} as const satisfies Record<string, { tookMs: number; answer: HttpAnswer }>
type Kind = keyof typeof kinds
const names = Object.keys(kinds) as Kind[]
const bad = names.filter(name => name !== 'good')
const retriesMs = [30_000, 60_000, 120_000, 240_000, 480_000]

interface Tried {
  readonly kind: Kind
  readonly id: string
  readonly at: number
  /** False when the switch went away meanwhile. */
  wasReceived: boolean
}

/** The customers' servers: they remember what was posted, also over a restart of the switch. */
class World implements Pick<HttpClient, 'signedPost'> {
  readonly tried: Tried[] = []
  readonly #clock: TestClock

  constructor(clock: TestClock) {
    this.#clock = clock
  }

  signedPost(post: SignedPost): Promise<HttpAnswer> {
    const kind = names.find(name => post.url.includes(name)) ?? 'good'
    assert.is(post.unixSeconds, Math.floor(this.#clock.unixMs() / 1000), 'a fresh timestamp on each try')
    const tried = { kind, id: JSON.parse(post.body).id, at: this.#clock.now(), wasReceived: false }
    this.tried.push(tried)
    const { tookMs, answer } = kinds[kind]
    return new Promise(resolve => {
      this.#clock.at(this.#clock.now() + tookMs, () => {
        tried.wasReceived = post.signal?.aborted !== true
        resolve(answer)
      })
    })
  }

  of(kind: Kind): readonly Tried[] {
    return this.tried.filter(tried => tried.kind === kind)
  }
}

/** Virtual time in small steps, so that each answer is taken in, and its end committed, when it comes. */
async function pass(bed: StoreBed, ms: number, stepMs = 100): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    bed.clock.pass(Math.min(stepMs, ms - passed))
    for (let turn = 0; turn < 3; turn++) await new Promise(resolve => setImmediate(resolve))
  }
}

class Switch {
  bed = openBed()
  readonly world = new World(this.bed.clock)
  readonly accounts = new Map<Kind, AccountUuid>()
  #delivery = this.#deliver()

  constructor() {
    for (const name of names) {
      this.accounts.set(name, addAccount(this.bed.database, { endpoint_status: `https://${name}.example/status` }))
    }
  }

  async emit(kind: Kind): Promise<string> {
    const account = this.accounts.get(kind)
    assert.ok(account !== undefined)
    const event = eventOf(callOf(account), 'CALL.0100')
    await this.bed.calls.commit([{ type: 'event.append', event }])
    return event.uuid
  }

  restart(downMs: number): void {
    this.#delivery.stop()
    this.bed.clock.pass(downMs)
    this.bed = this.bed.reopen()
    this.#delivery = this.#deliver()
  }

  /** The ends that the stream reported: `delivered` or `failed` by event. */
  ends(kind: Kind): readonly string[] {
    const account = this.accounts.get(kind)
    assert.ok(account !== undefined)
    return this.bed.events
      .after(account, 0, 1000)
      .flatMap(({ event: { code, data } }) => (code.startsWith('WH.') ? [`${code} ${data.id} ${data.tries}`] : []))
  }

  failuresOf(kind: Kind): number {
    const query = this.bed.database.sql.selectFrom('webhook_endpoints').select(['failures', 'url'])
    return this.bed.database.all(query).find(({ url }) => url.includes(kind))?.failures ?? 0
  }

  close(): void {
    this.#delivery.stop()
    this.bed.close()
  }

  #deliver(): CallbackDelivery {
    const delivery = new CallbackDelivery({ ...this.bed, http: this.world, log: silentLog, uuid: randomUUID })
    delivery.start()
    return delivery
  }
}

test('five kinds of bad endpoint: each is tried six times by schedule and given up; the good one does not wait', async () => {
  const on = new Switch()
  const ids = new Map<Kind, string>()
  for (const name of bad) ids.set(name, await on.emit(name))
  const goodAt: number[] = []
  for (let round = 0; round < 100; round++) {
    goodAt.push(on.bed.clock.now())
    await on.emit('good')
    await pass(on.bed, 10_300)
  }
  for (const name of bad) {
    let due = 0
    const wanted = [0]
    for (const pause of retriesMs) {
      due += kinds[name].tookMs + pause
      wanted.push(due)
    }
    const tried = on.world.of(name)
    assert.is(tried.length, 6, name)
    for (const [at, { at: triedAt, id }] of tried.entries()) {
      assert.is(id, ids.get(name), `${name}: the same id`)
      // Each end is taken in within a step of the clock.
      assert.ok(Math.abs(triedAt - (wanted[at] ?? 0)) <= 100 * (at + 1), `${name}: try ${at + 1} at ${triedAt} ms`)
    }
    assert.equal(on.ends(name), [`WH.0400 ${ids.get(name)} 6`])
    assert.is(on.failuresOf(name), 1, name)
  }
  assert.equal(
    on.world.of('good').map(({ at }) => at),
    goodAt,
  )
  assert.is(on.ends('good').length, 100)
  assert.is(on.failuresOf('good'), 0)
  assert.equal(on.bed.outbox.pendingAfter(0, 10), [])
  on.close()
})

// A restart at each of these moments: while first tries are under way, between retries, while a retry is under way.
for (const [atMs, downMs] of [
  [50, 0],
  [500, 2000],
  [5000, 60_000],
  [35_000, 3000],
  [42_000, 3000],
  [130_000, 500],
  [400_000, 300_000],
] as const) {
  test(`a restart after ${atMs / 1000} s, ${downMs / 1000} s down: nothing is lost, nothing comes too early or twice`, async () => {
    const on = new Switch()
    const ids = new Map<Kind, string>()
    for (const name of names) ids.set(name, await on.emit(name))
    await pass(on.bed, atMs, 10)
    const before = on.world.tried.filter(({ wasReceived }) => wasReceived).length
    assert.ok(before > 0)
    on.restart(downMs)
    const goodAgain = await on.emit('good')
    await pass(on.bed, 1_200_000, 500)
    for (const name of bad) {
      const tried = on.world.of(name)
      const received = tried.filter(({ wasReceived }) => wasReceived)
      assert.is(received.length, 6, `${name}: six tries were heard to their end`)
      assert.ok(tried.length <= 7, `${name}: at most the one that was under way is made again`)
      for (const { id } of tried) assert.is(id, ids.get(name))
      for (const [index, retry] of received.entries()) {
        const previous = received[index - 1]
        if (previous === undefined) continue
        const pause = retry.at - previous.at - kinds[name].tookMs
        const wanted = retriesMs[index - 1] ?? 0
        // What was due while the switch was away goes when it is back; what was under way then, too.
        assert.ok(pause >= wanted - 1, `${name}: retry ${index} after ${pause} ms`)
        assert.ok(pause <= wanted + 1000 + (retry.at >= atMs ? downMs + kinds[name].tookMs : 0), `${name}: ${pause} ms`)
      }
      assert.equal(on.ends(name), [`WH.0400 ${ids.get(name)} 6`])
      assert.is(on.failuresOf(name), 1, name)
    }
    assert.equal(
      on.world.of('good').map(({ id }) => id),
      [ids.get('good'), goodAgain],
      'what was delivered is not sent again',
    )
    assert.equal(on.bed.outbox.pendingAfter(0, 10), [])
    on.close()
  })
}

test.run()
