import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { IdleTime, type Ticks, ticksIn } from '../../../../core/adapters/system/idle-time.ts'

// As proc(5) has it: user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice.
const stat = `cpu  22 4 6 1000 30 1 2 3 9 9
cpu0 10 1 2 400 20 0 1 1 5 5
cpu1 12 3 4 600 10 1 1 2 4 4
cpu10 1 1 1 1 1 1 1 1 1 1
intr 123456 0 0
ctxt 99
`
const status = (list: string) => `Name:\tnode\nCpus_allowed:\t3\nCpus_allowed_list:\t${list}\nMems_allowed:\t1\n`

test('ticks are those of the processors that the thread may run on; guests are in the time of users', () => {
  for (const [list, ticks] of [
    ['0', { all: 435, idle: 420 }],
    ['1', { all: 633, idle: 610 }],
    ['0-1', { all: 1068, idle: 1030 }],
    ['0,10', { all: 443, idle: 422 }],
    ['0-9', { all: 1068, idle: 1030 }],
  ] as const)
    assert.equal(ticksIn(stat, status(list)), ticks, list)
})

test('without such texts nothing is known', () => {
  for (const [one, other] of [
    ['', status('0')],
    [stat, ''],
    [stat, status('7')],
    ['cpu0 0 0 0 0 0 0 0 0 0 0\n', status('0')],
  ] as const)
    assert.is(ticksIn(one, other), undefined)
})

/** Looks each second at processors that were idle for so many of a hundred ticks since; undefined: the system does not say. */
function looks(idle: readonly (number | undefined)[]): readonly boolean[] {
  let now: Ticks = { all: 0, idle: 0 }
  let known: Ticks | undefined = now
  const time = new IdleTime(() => known)
  const first = time.look()
  return [
    first,
    ...idle.map(part => {
      if (part !== undefined) now = { all: now.all + 100, idle: now.idle + part }
      known = part === undefined ? undefined : now
      return time.look()
    }),
  ]
}

test('there is time to spare from 15 % on, and until less than 3 % is idle', () => {
  assert.equal(looks([14, 15, 10, 3, 2, 3, 14, 15]), [false, false, true, true, true, false, false, false, true])
})

test('what is not known is not spare', () => {
  assert.equal(looks([50, undefined, 50, 50]), [false, true, false, false, true])
  const still = new IdleTime(() => ({ all: 5, idle: 5 }))
  assert.equal([still.look(), still.look()], [false, false])
})

test.run()
