import { spawnSync } from 'node:child_process'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { threadTimes, usedBetween } from '../../bench/load/thread-times.ts'
import { resultOf } from '../../bench/overload/burst.ts'

const program = new URL('../../bench/load/calls.ts', import.meta.url).pathname
const run = (...args: string[]) => spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' })

test('bench:calls: --help, and what is wrong with a command', () => {
  const help = run('--help')
  assert.is(help.status, 0)
  assert.match(help.stdout, /--kind KIND/)
  for (const [args, why] of [
    [['--kind', 'x'], /x is none of sip, full, webhook/],
    [['--cps', '0'], /--cps: 1 to 10000/],
    [['--seconds', 'long'], /--seconds/],
    [['--bogus'], /--bogus/],
  ] as const) {
    const wrong = run(...args)
    assert.is(wrong.status, 2, args.join(' '))
    assert.match(wrong.stderr, why)
  }
})

for (const [name, file, known, mistakes] of [
  [
    'bench:signalling',
    'load/signalling.ts',
    /--one-processor/,
    [
      [['--cps', 'many'], /--cps: 1 to 10000/],
      [['--seconds', '0'], /--seconds/],
      [['--bogus'], /--bogus/],
    ],
  ],
  [
    'bench:goals',
    'goals/goals.ts',
    /--only NAME/,
    [
      [['--only', 'x'], /x is none of call, sip, relay/],
      [['--rounds', '0'], /--rounds: 1 to 100/],
      [['--write', '--short'], /not with --only or --short/],
    ],
  ],
] as const) {
  test(`${name}: --help, and what is wrong with a command`, () => {
    const path = new URL(`../../bench/${file}`, import.meta.url).pathname
    const ask = (...args: string[]) => spawnSync(process.execPath, [path, ...args], { encoding: 'utf8' })
    const help = ask('--help')
    assert.is(help.status, 0)
    assert.match(help.stdout, known)
    for (const [args, why] of mistakes) {
      const wrong = ask(...args)
      assert.is(wrong.status, 2, args.join(' '))
      assert.match(wrong.stderr, why)
    }
  })
}

test('the time of threads: what this one has used, and no time of what has not run', () => {
  const before = threadTimes(process.pid)
  const until = process.cpuUsage().user + 100_000
  while (process.cpuUsage().user < until) Math.sqrt(until)
  const used = usedBetween(before, threadTimes(process.pid))
  assert.is(used[0]?.[0], 'signalling')
  assert.ok(used[0]![1] >= 80, `${used[0]![1]} ms`)
})

test('what sipp has counted: a call with an answer that its scenario does not have has failed, others had none', () => {
  const statistics = ['Time;FailedCall(C);FailedUnexpectedMessage(C);x', '1;2;1;', '2;5;3;', ''].join('\n')
  const { unanswered, failed } = resultOf('1;24;1\n', 6, 0, statistics)
  assert.equal([unanswered, failed], [5, 3])
  assert.is(resultOf('1;24;1\n', 2, 0, statistics).failed, 1)
})

test('what sipp has written: when the last call began and the last refusal came, by either of its clocks', () => {
  for (const [began, zero] of [
    [1_795_000_000_000, 0],
    [1_795_000_000_000, 1_795_000_000_000],
  ] as const) {
    const lines = ['Date_ms;response_time_ms;rtd_no', `${zero + 76};24;1`, `${zero + 2040};40;1`, `${zero + 2041};1;2`]
    const { answeredMs, refusedMs, unanswered, lastRefusal, offeredIn } = resultOf(lines.join('\n'), 3, began)
    assert.equal([answeredMs, refusedMs, unanswered, lastRefusal, offeredIn], [[24], [40], 1, 2.041, 2])
  }
})

test.run()
