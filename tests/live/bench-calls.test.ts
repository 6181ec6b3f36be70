import { spawnSync } from 'node:child_process'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { threadTimes, usedBetween } from '../../bench/load/thread-times.ts'

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

test('the time of threads: what this one has used, and no time of what has not run', () => {
  const before = threadTimes(process.pid)
  const until = process.cpuUsage().user + 100_000
  while (process.cpuUsage().user < until) Math.sqrt(until)
  const used = usedBetween(before, threadTimes(process.pid))
  assert.is(used[0]?.[0], 'signalling')
  assert.ok(used[0]![1] >= 80, `${used[0]![1]} ms`)
})

test.run()
