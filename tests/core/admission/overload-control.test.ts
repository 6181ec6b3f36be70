import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { fairShares } from '../../../core/admission/fair-shares.ts'
import { defaultLoadBounds, noLoad } from '../../../core/admission/load.ts'
import { measureEveryMs, OverloadControl } from '../../../core/admission/overload-control.ts'

/** A thread that needs this time for a call, a tenth of it at once and the rest within 200 ms; virtual time. */
class Server {
  readonly admission = new OverloadControl()
  now = 0
  served = 0
  offered = 0
  /** Longest backlog of the run, ms of work. */
  worstBacklogMs = 0
  readonly refusedIn: number[] = []
  #backlogMs = 0
  #busyMs = 0
  #due: { readonly at: number; readonly workMs: number }[] = []
  #measuredAt = 0
  #delays: number[] = []
  #owed: Record<string, number> = {}

  readonly callMs: number

  constructor(callMs: number) {
    this.callMs = callMs
  }

  get capacity(): number {
    return 1000 / this.callMs
  }

  /** `offers`: calls a second by source. What a refusal costs is a hundredth of a call. */
  run(seconds: number, offers: Readonly<Record<string, number>>): Record<string, number> {
    const admitted: Record<string, number> = {}
    this.worstBacklogMs = 0
    const until = this.now + seconds * 1000
    for (; this.now < until; this.now++) {
      if (this.now % 1000 === 0) this.refusedIn.push(0)
      for (const [source, perSecond] of Object.entries(offers)) {
        this.#owed[source] = (this.#owed[source] ?? 0) + perSecond / 1000
        for (; this.#owed[source] >= 1; this.#owed[source]--) {
          this.offered++
          const [name = '', account] = source.split(':')
          if (this.admission.decide(name, this.now, 0, account) === undefined) {
            admitted[source] = (admitted[source] ?? 0) + 1
            this.served++
            this.#due.push({ at: this.now, workMs: this.callMs / 10 })
            for (let part = 1; part <= 9; part++) this.#due.push({ at: this.now + part * 22, workMs: this.callMs / 10 })
          } else {
            this.#backlogMs += this.callMs / 100
            this.refusedIn[this.refusedIn.length - 1]!++
          }
        }
      }
      this.#due = this.#due.filter(({ at, workMs }) => {
        if (at <= this.now) this.#backlogMs += workMs
        return at > this.now
      })
      this.#busyMs += Math.min(1, this.#backlogMs)
      this.#backlogMs = Math.max(0, this.#backlogMs - 1)
      this.worstBacklogMs = Math.max(this.worstBacklogMs, this.#backlogMs)
      this.#delays.push(this.#backlogMs)
      if (this.now - this.#measuredAt >= measureEveryMs) this.#measure()
    }
    return admitted
  }

  #measure(): void {
    const loopDelayMs = this.#delays.reduce((sum, delay) => sum + delay, 0) / this.#delays.length
    const loopBusy = this.#busyMs / this.#delays.length
    this.#delays = []
    this.#busyMs = 0
    this.#measuredAt = this.now
    this.admission.handle({ ...noLoad, loopDelayMs, loopBusy }, this.now)
  }
}

const sum = (values: Readonly<Record<string, number>>): number =>
  Object.values(values).reduce((all, one) => all + one, 0)

test('below its capacity nothing is refused, and a single pause is no load', () => {
  const server = new Server(4)
  server.run(5, { trunk: 0.7 * server.capacity })
  assert.is(
    server.refusedIn.reduce((all, one) => all + one, 0),
    0,
  )
  const { admission } = server
  admission.handle({ ...noLoad, loopDelayMs: 900 }, server.now + 900)
  assert.is(admission.decide('trunk', server.now + 901), undefined)
  assert.is(admission.isLimiting, false)
})

for (const times of [1.2, 2, 5, 10]) {
  test(`at ${times} times its capacity the goodput stays, what is taken is served soon, and it settles`, () => {
    const server = new Server(4)
    server.run(5, { trunk: 0.5 * server.capacity })
    server.run(3, { trunk: times * server.capacity })
    const seconds = 20
    const before = server.served
    server.run(seconds, { trunk: times * server.capacity })
    const perSecond = (server.served - before) / seconds
    // A refusal costs something as well: what is left of the thread's time is the most that there can be.
    const possible = Math.min(1, 1 - (times - 1) / 100) * server.capacity
    assert.ok(perSecond > 0.93 * possible, `${perSecond.toFixed(0)} of ${possible.toFixed(0)} a second`)
    assert.ok(server.worstBacklogMs < 90, `backlog of ${server.worstBacklogMs.toFixed(0)} ms`)
    // No flapping: each second about the same share is refused.
    const refused = server.refusedIn.slice(-15)
    const mean = refused.reduce((all, one) => all + one, 0) / refused.length
    for (const count of refused) assert.ok(Math.abs(count - mean) < 0.3 * server.capacity + 0.1 * mean, `${refused}`)
    server.run(5, { trunk: 0.5 * server.capacity })
    assert.is(server.refusedIn.at(-2), 0, 'half the capacity: nothing is refused any more')
    assert.is(server.admission.isLimiting, false)
  })
}

test('one trunk that floods takes nothing from the others, which get what they ask for', () => {
  const server = new Server(4)
  server.run(4, { big: 0.4 * server.capacity, small: 0.1 * server.capacity, phones: 0.05 * server.capacity })
  const flood = { big: 10 * server.capacity, small: 0.1 * server.capacity, phones: 0.05 * server.capacity }
  server.run(4, flood)
  const admitted = server.run(20, flood)
  assert.ok(admitted.small! > 0.97 * 20 * flood.small, `${admitted.small} of ${20 * flood.small}`)
  assert.ok(admitted.phones! > 0.97 * 20 * flood.phones, `${admitted.phones} of ${20 * flood.phones}`)
  assert.ok(sum(admitted) > 0.85 * 20 * server.capacity, `${sum(admitted)} in all`)
})

test('of accounts that share a source, one that floods takes nothing from the others', () => {
  const server = new Server(4)
  const flood = { trunk: 0.2 * server.capacity, 'api:big': 10 * server.capacity, 'api:small': 0.1 * server.capacity }
  server.run(8, flood)
  const admitted = server.run(20, flood)
  assert.ok(admitted['api:small']! > 0.97 * 20 * flood['api:small'], `${admitted['api:small']} in 20 s`)
  assert.ok(admitted.trunk! > 0.97 * 20 * flood.trunk, `${admitted.trunk} in 20 s`)
  assert.ok(sum(admitted) > 0.85 * 20 * server.capacity, `${sum(admitted)} in all`)
})

test('every measure has its bound, a bound of 0 disables it, and the one that is exceeded is named', () => {
  for (const [of, bound] of Object.entries(defaultLoadBounds)) {
    const admission = new OverloadControl()
    const calm = new OverloadControl({ ...defaultLoadBounds, [of]: 0 })
    const measures = { ...noLoad, [of]: 2 * bound }
    for (let at = 1; at <= 5; at++) {
      for (let call = 0; call < 20; call++) {
        admission.decide('trunk', at * measureEveryMs)
        calm.decide('trunk', at * measureEveryMs)
      }
      admission.handle(measures, at * measureEveryMs)
      calm.handle(measures, at * measureEveryMs)
    }
    assert.is(admission.isLimiting, true, of)
    assert.is(admission.load.of, of)
    assert.is(calm.isLimiting, false, of)
  }
})

test('while limited: what has waited too long is refused, and looking takes no token', () => {
  const admission = new OverloadControl()
  for (let at = 1; at <= 5; at++) {
    // The second time the forty are taken that may be late.
    for (let call = 0; call < 50; call++) admission.decide('trunk', at * measureEveryMs, at === 2 ? 1000 : 0)
    admission.handle({ ...noLoad, loopDelayMs: 30 }, at * measureEveryMs)
  }
  const now = 6 * measureEveryMs
  assert.is(admission.decide('trunk', now, 1000), 'late')
  assert.ok(admission.isOpenTo('trunk', now, 15))
  assert.not.ok(admission.isOpenTo('trunk', now, 16), 'with its set-up it would come near to 100 ms')
  for (let look = 0; look < 100; look++) assert.ok(admission.isOpenTo('trunk', now))
  assert.is(admission.decide('trunk', now), undefined)
  let refused: string | undefined
  for (let call = 0; call < 100; call++) refused = admission.decide('trunk', now)
  assert.is(refused, 'rate')
  assert.not.ok(admission.isOpenTo('trunk', now))
})

test('a machine that is busy with other things: few calls bring no limit, and one that there is ends with the many', () => {
  const admission = new OverloadControl()
  const second = (from: number, calls: number) => {
    for (let at = 0; at < 1000; at += measureEveryMs) {
      for (let call = 0; call < calls / 20; call++) admission.decide('trunk', from + at)
      admission.handle({ ...noLoad, loopDelayMs: 12 }, from + at)
    }
    return admission.isLimiting
  }
  assert.equal(
    [1, 2, 3].map(at => second(1000 * at, 0)),
    [false, false, false],
  )
  // What comes all at once then is for the caps of accounts.
  for (let call = 0; call < 15; call++) assert.is(admission.decide('api', 4000), undefined)
  assert.ok(second(4000, 200))
  assert.not.ok([5, 6, 7, 8, 9].map(at => second(1000 * at, 0)).at(-1))
})

test('of few calls none is refused for having waited, as they are not the load', () => {
  const admission = new OverloadControl()
  for (let at = 1; at <= 1200; at++) {
    if (at % 5 === 0) assert.is(admission.decide('trunk', at * measureEveryMs, 1000), undefined)
    admission.handle({ ...noLoad, loopDelayMs: at % 600 < 300 ? 30 : 0 }, at * measureEveryMs)
  }
  assert.is(admission.counters.refusedLate, 0)
})

test('a flood shows in how long an INVITE has waited, before any mean does', () => {
  const admission = new OverloadControl()
  const flood = (now: number) => {
    for (let call = 0; call < 50; call++) admission.decide('trunk', now)
    admission.handle(noLoad, now)
  }
  const late = (now: number, calls: number) =>
    Array.from({ length: calls }, () => admission.decide('trunk', now, 41)).filter(refusal => refusal === 'late').length
  flood(measureEveryMs)
  // A thread that stood still for once: forty of those that waited are no flood, and one a second after that.
  assert.ok(admission.isOpenTo('trunk', 100, 1000))
  assert.is(late(100, 40), 0)
  assert.not.ok(admission.isOpenTo('trunk', 100, 41))
  assert.is(late(100, 20), 20)
  assert.is(admission.decide('trunk', 100, 40), undefined)
  flood(1050)
  assert.is(late(1100, 30), 29)
  const indifferent = new OverloadControl({ ...defaultLoadBounds, inviteWaitMs: 0 })
  for (let call = 0; call < 50; call++) assert.is(indifferent.decide('trunk', 0, 100), undefined)
})

test('no media thread answers: no new call; the load may be none', () => {
  const admission = new OverloadControl()
  admission.handle({ ...noLoad, isMediaSilent: true }, 0)
  assert.is(admission.decide('trunk', 1), 'no-media')
  admission.handle(noLoad, 50)
  assert.is(admission.decide('trunk', 51), undefined)
})

test('a measure that stays bad leaves one call a second', () => {
  const admission = new OverloadControl()
  let taken = 0
  for (let now = 0; now < 60_000; now += measureEveryMs) {
    for (let call = 0; call < 5; call++) if (admission.decide('trunk', now) === undefined && now > 30_000) taken++
    admission.handle({ ...noLoad, memory: 1 }, now)
  }
  assert.ok(taken >= 15 && taken <= 60, `${taken}`)
})

test('sources are forgotten, and never too many', () => {
  const admission = new OverloadControl()
  for (let source = 0; source < 5000; source++) admission.decide(`trunk ${source}`, source)
  assert.is(admission.sources().length, 1024)
  admission.handle(noLoad, 100_000)
  assert.is(admission.sources().length, 0)
})

test('shares: a source that asks for little gets it, the rest is divided, and a surplus is spread', () => {
  assert.equal(fairShares([1, 10, 10], 11), [1, 5, 5])
  assert.equal(fairShares([2, 4], 10), [4, 6])
  assert.equal(fairShares([], 10), [])
})

test.run()
