import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type DeliveryOutput,
  DeliverySchedule,
  defaultDeliveryLimits,
} from '../../../core/webhooks/delivery-schedule.ts'
import { maxTries, retryDelaysMs } from '../../../core/webhooks/retry.ts'
import { seeded } from '../bed/seeded.ts'

const limits = { total: 10, perAccount: 10, perEndpoint: 3, perFailingEndpoint: 1, failingPerAccount: 10 }

/** A schedule in virtual time; attempts take as long as the test says. */
function bed(with_ = limits) {
  const schedule = new DeliverySchedule(with_)
  const log: { at: number; type: string; id: number }[] = []
  let now = 0
  let lastId = 0
  const take = (outputs: readonly DeliveryOutput[]) => {
    for (const { type, id } of outputs) log.push({ at: now, type, id })
  }
  return {
    schedule,
    log,
    add(
      endpoint: string,
      call: string | null = null,
      fields: { tries?: number; dueAt?: number; account?: string } = {},
    ): number {
      const id = ++lastId
      const delivery = { id, account: endpoint, endpoint, call, tries: 0, dueAt: 0, ...fields }
      take(schedule.handle({ type: 'added', delivery }, now))
      return id
    },
    finish(id: number, delivered: boolean) {
      take(schedule.handle({ type: 'finished', id, delivered }, now))
    },
    pass(ms: number) {
      const until = now + ms
      for (let at = schedule.deadline(); at !== undefined && at <= until; at = schedule.deadline()) {
        now = Math.max(now, at)
        take(schedule.timeout(now))
      }
      now = until
    },
    attempts: () => log.filter(({ type }) => type === 'attempt').map(({ at, id }) => [at, id]),
    of: (type: string) => log.filter(each => each.type === type).map(({ id }) => id),
  }
}

test('one try and five retries after 30, 60, 120, 240, 480 s, then it is given up', () => {
  assert.equal(retryDelaysMs, [30_000, 60_000, 120_000, 240_000, 480_000])
  assert.is(maxTries, 6)
  const { add, finish, pass, attempts, of, schedule } = bed()
  const id = add('a', 'call')
  for (let tries = 1; tries <= 6; tries++) {
    pass(10_000)
    finish(id, false)
    pass(retryDelaysMs[tries - 1] ?? 0)
  }
  // Each pause counts from the end of the try before it, which here takes 10 s.
  assert.equal(
    attempts().map(([at]) => at),
    [0, 40_000, 110_000, 240_000, 490_000, 980_000],
  )
  assert.equal(of('gave-up'), [id])
  assert.is(of('retry').length, 5)
  assert.is(schedule.size, 0)
  assert.is(schedule.running, 0)
  assert.is(schedule.deadline(), undefined)
})

test('a success at any try ends it', () => {
  const { add, finish, pass, of, schedule } = bed()
  const id = add('a')
  finish(id, false)
  pass(30_000)
  finish(id, true)
  assert.equal(of('delivered'), [id])
  assert.is(schedule.size, 0)
})

test('the next event of a call waits for the first try of the one before, not for its retries', () => {
  const { add, finish, pass, attempts } = bed()
  const [first, second, third, other] = [add('a', 'x'), add('a', 'x'), add('a', 'x'), add('a', 'y')]
  assert.equal(attempts(), [
    [0, first],
    [0, other],
  ])
  pass(500)
  finish(first, true)
  pass(500)
  finish(second, false)
  finish(other, true)
  assert.equal(attempts().slice(2), [
    [500, second],
    [1000, third],
  ])
})

test('one call at two endpoints, and events about no call, wait for no other', () => {
  const { add, attempts } = bed()
  const ids = [add('a', 'x'), add('b', 'x'), add('a'), add('a')]
  assert.equal(
    attempts().map(([, id]) => id),
    ids,
  )
})

test('an endpoint has its share; one that fails has less, until it works again', () => {
  const { add, finish, attempts, schedule } = bed()
  const ids = Array.from({ length: 8 }, () => add('a'))
  assert.is(schedule.running, 3)
  finish(ids[0]!, false)
  assert.is(schedule.running, 2, 'two still run, the share is one')
  finish(ids[1]!, false)
  assert.is(schedule.running, 1)
  finish(ids[2]!, false)
  assert.equal(attempts().at(-1), [0, ids[3]])
  assert.is(schedule.running, 1)
  finish(ids[3]!, true)
  assert.is(schedule.running, 3)
})

test('endpoints that hang leave room for the others', () => {
  const { add, attempts, schedule, finish } = bed({
    total: 7,
    perAccount: 7,
    perEndpoint: 3,
    perFailingEndpoint: 1,
    failingPerAccount: 10,
  })
  for (let at = 0; at < 20; at++) add('hangs')
  assert.is(schedule.running, 3)
  const good = add('good')
  assert.equal(attempts().at(-1), [0, good])
  finish(good, true)
  for (let at = 0; at < 20; at++) add('hangs too')
  assert.is(schedule.running, 6)
  const other = add('good')
  assert.equal(attempts().at(-1), [0, other])
})

test('an account has its share however many endpoints it has, and they take turns in it', () => {
  const { add, finish, attempts, schedule } = bed({
    total: 10,
    perAccount: 4,
    perEndpoint: 2,
    perFailingEndpoint: 1,
    failingPerAccount: 10,
  })
  const of = (account: string, endpoint: string) => add(`${account} ${endpoint}`, null, { account })
  const hung = Array.from({ length: 40 }, (_, at) => of('a', `e${at % 20}`))
  assert.is(schedule.running, 4)
  const other = of('b', 'e')
  assert.is(schedule.running, 5)
  finish(other, true)
  // One after the other ends: each place goes to the next endpoint, and none is forgotten.
  for (let ended = 0; ended < hung.length; ended++) {
    assert.is(schedule.running, Math.min(4, hung.length - ended))
    const running = attempts().map(([, id]) => id)
    finish(running.filter(id => id !== other)[ended] ?? 0, true)
  }
  assert.is(schedule.size, 0)
  assert.equal(new Set(attempts().map(([, id]) => id)), new Set([...hung, other]))
})

test('endpoints of an account that fail share a few attempts, however many they are', () => {
  const { add, finish, pass, attempts, schedule } = bed(defaultDeliveryLimits)
  const of = (account: string, endpoint: string) => add(`${account} ${endpoint}`, null, { account })
  const accounts = ['a', 'b', 'c', 'd']
  for (const account of accounts) for (let at = 0; at < 128; at++) of(account, `hangs ${at % 32}`)
  assert.is(schedule.running, 256)
  let ended = 0
  const hangFor10s = () => {
    pass(10_000)
    const running = attempts()
      .slice(ended)
      .map(([, id]) => id!)
    ended += running.length
    for (const id of running) finish(id, false)
  }
  for (let round = 0; round < 4; round++) hangFor10s()
  assert.is(schedule.running, 4 * 16)
  // Another endpoint of such an account has the rest of its account's attempts.
  const before = schedule.running
  const good = Array.from({ length: 20 }, () => of('a', 'works'))
  assert.is(schedule.running, before + 16)
  for (const id of good) finish(id, true)
  // All of it ends, as soon as they work again.
  const done = new Set<number>()
  for (let rest = 0; rest < 200 && schedule.size > 0; rest++) {
    for (const id of attempts()
      .slice(ended)
      .map(([, each]) => each!)) {
      if (!done.has(id)) finish(id, true)
      done.add(id)
    }
    pass(10_000)
  }
  assert.is(schedule.size, 0)
})

test('when all attempts are in use, endpoints take turns', () => {
  const { add, finish, attempts } = bed({
    total: 1,
    perAccount: 1,
    perEndpoint: 3,
    perFailingEndpoint: 1,
    failingPerAccount: 10,
  })
  const a = [add('a'), add('a'), add('a')]
  const b = [add('b'), add('b')]
  const c = add('c')
  for (let at = 0; at < 6; at++) finish(attempts().at(-1)![1]!, true)
  assert.equal(
    attempts().map(([, id]) => id),
    [a[0], a[1], b[0], c, a[2], b[1]],
  )
})

test('after a restart a retry keeps its hour, and what is overdue goes at once', () => {
  const { add, pass, attempts } = bed()
  pass(1000)
  const late = add('a', 'x', { tries: 2, dueAt: 500 })
  const later = add('b', 'y', { tries: 3, dueAt: 90_000 })
  const soon = add('b', 'z', { tries: 3, dueAt: 50_000 })
  const fresh = add('c', 'x')
  pass(100_000)
  assert.equal(attempts(), [
    [1000, late],
    [1000, fresh],
    [50_000, soon],
    [90_000, later],
  ])
})

test('property: whatever fails and whenever, all ends, limits hold, and first tries of a call are in order', () => {
  for (let seed = 1; seed <= 30; seed++) {
    const random = seeded(seed)
    const { add, finish, pass, log, schedule } = bed({ ...limits, perAccount: 5, failingPerAccount: 1 + (seed % 3) })
    const endpoints = ['a', 'b', 'c', 'd']
    const callOf = new Map<number, string>()
    const running: number[] = []
    let seen = 0
    const track = () => {
      for (; seen < log.length; seen++) if (log[seen]!.type === 'attempt') running.push(log[seen]!.id)
      assert.is(running.length, schedule.running)
      assert.ok(running.length <= limits.total)
    }
    for (let step = 0; step < 600; step++) {
      const act = random.below(3)
      if (act === 0 && step < 300) {
        const endpoint = random.pick(endpoints)
        const call = `call ${random.below(5)}`
        const account = endpoint < 'c' ? 'one' : 'two'
        callOf.set(add(endpoint, call, { account }), `${endpoint} ${call}`)
      } else if (act === 1 && running.length > 0) {
        finish(running.splice(random.below(running.length), 1)[0]!, random.below(3) > 0)
      } else pass(random.below(20_000))
      track()
    }
    for (let rest = 0; rest < 20_000 && schedule.size > 0; rest++) {
      const id = running.shift()
      if (id !== undefined) finish(id, random.below(2) === 0)
      else pass(10_000)
      track()
    }
    assert.is(schedule.size, 0)
    const ends = log.filter(({ type }) => type === 'delivered' || type === 'gave-up').map(({ id }) => id)
    assert.equal(
      [...ends].sort((a, b) => a - b),
      [...callOf.keys()],
    )
    const firstTries = new Map<string, number[]>()
    const tried = new Set<number>()
    for (const { type, id } of log) {
      if (type !== 'attempt' || tried.has(id)) continue
      tried.add(id)
      const chain = callOf.get(id)!
      firstTries.set(chain, [...(firstTries.get(chain) ?? []), id])
    }
    for (const ids of firstTries.values())
      assert.equal(
        ids,
        [...ids].sort((a, b) => a - b),
      )
  }
})

test.run()
