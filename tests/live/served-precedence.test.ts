import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, getPriority } from 'node:os'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { IdleTime } from '../../core/adapters/system/idle-time.ts'
import { SwitchProcess } from '../rig/beds/switch-process.ts'
import { until } from '../rig/probes/wait.ts'

/** Whether this process may let another one go before others. */
const mayGoBefore = spawnSync('nice', ['-n', '-9', 'sh', '-c', 'test "$(nice)" = -9']).status === 0

/** Each thread's name, and the fields after it (proc_pid_stat(5): from the third on). */
function statOf(pid: number): readonly (readonly [name: string, fields: readonly string[]])[] {
  return readdirSync(`/proc/${pid}/task`).map(id => {
    const stat = readFileSync(`/proc/${pid}/task/${id}/stat`, 'latin1')
    const name = Number(id) === pid ? 'signalling' : stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
    return [name, stat.slice(stat.lastIndexOf(')') + 2).split(' ')]
  })
}

/** Niceness of each thread by its name: field 19. */
const threads = (pid: number): readonly (readonly [name: string, niceness: number])[] =>
  statOf(pid).map(([name, fields]) => [name, Number(fields[16])])

const nicenesses = (pid: number): ReadonlyMap<string, number> => new Map(threads(pid))

/** Names and real-time priorities of the threads that have one; proc_pid_stat(5): field 40. Sorted. */
const realTimes = (pid: number): readonly string[] =>
  statOf(pid)
    .filter(([, fields]) => Number(fields[37]) > 0)
    .map(([name, fields]) => `${name} ${fields[37]}`)
    .sort()

/** The one that writes, and those that read. */
const storeNicenesses = (pid: number): readonly number[] =>
  threads(pid).flatMap(([name, niceness]) => (name === 'store' ? [niceness] : []))

if (process.platform === 'linux')
  test('signalling and the database of a served switch go before others where the system allows it; threads that they start do not', async () => {
    const on = await SwitchProcess.start()
    try {
      const wanted = mayGoBefore && getPriority() === 0 ? -9 : getPriority()
      await until('precedence', () => nicenesses(on.pid).get('signalling') === wanted)
      const stores = storeNicenesses(on.pid)
      assert.ok(stores.includes(wanted), `${stores}`)
      const usual = getPriority()
      // Each gives way once it runs.
      await until('the thread of checkpoints', () => nicenesses(on.pid).get('checkpoints') === usual)
      await until(
        'the reader of look-ups',
        () => storeNicenesses(on.pid).filter(niceness => niceness === wanted).length > 1,
      )
      await until('the thread of traces', () => (nicenesses(on.pid).get('trace') ?? usual) > usual)
      for (const [name, niceness] of nicenesses(on.pid)) if (/libuv/.test(name)) assert.is(niceness, usual, name)
    } finally {
      await on.close()
    }
  })

/** Whether this process may let another one be in real time, by the priority of media threads. */
const mayBeRealTime = spawnSync('chrt', ['-r', '4', 'true']).status === 0

if (process.platform === 'linux' && mayGoBefore && mayBeRealTime && getPriority() === 0 && availableParallelism() > 1)
  test('media, signalling, the database and V8 are in real time, in this order, while signalling has a processor of its own; no other thread is', async () => {
    const on = await SwitchProcess.start({ SAUTI_MEDIA_WORKERS: '1' })
    const pair = ['media 4', 'signalling 3']
    const inOrder = async () => {
      await until('real time', () => pair.every(each => realTimes(on.pid).includes(each)))
      // As many of V8's as there are: with eight processors, four.
      const v8 = statOf(on.pid).flatMap(([name]) => (name === 'node-V8Worker' ? ['node-V8Worker 1'] : []))
      assert.ok(v8.length > 0)
      const all = [...v8, ...pair, 'store 2', 'store 2'].sort()
      // The database and V8 wait for time to spare, which other tests may take meanwhile.
      const idle = new IdleTime()
      let spareSeconds = 0
      for (let second = 0; second < 20 && realTimes(on.pid).join(', ') !== all.join(', '); second++) {
        spareSeconds = idle.look() ? spareSeconds + 1 : 0
        assert.ok(spareSeconds < 4, `time to spare for ${spareSeconds} s, and ${realTimes(on.pid).join(', ')}`)
        await new Promise(resolve => setTimeout(resolve, 1000))
      }
      const found = realTimes(on.pid)
      assert.ok(
        pair.every(each => found.includes(each)),
        found.join(', '),
      )
      assert.equal(
        found.filter(each => !all.includes(each)),
        [],
        'no other thread',
      )
      assert.is(nicenesses(on.pid).get('node-V8Worker'), -19, 'while they are not in real time')
    }
    try {
      await inOrder()
      await until('the thread of traces', () => nicenesses(on.pid).has('trace'))
      execFileSync('taskset', ['-acp', '0', String(on.pid)], { stdio: 'ignore' })
      await until('no real time with one processor', () => realTimes(on.pid).join(', ') === 'media 4')
      assert.is(nicenesses(on.pid).get('signalling'), -9)
      assert.is(nicenesses(on.pid).get('node-V8Worker'), 0)
      execFileSync('taskset', ['-acp', `0-${availableParallelism() - 1}`, String(on.pid)], { stdio: 'ignore' })
      await inOrder()
    } finally {
      await on.close()
    }
  })

test('a program that was started with `nice` keeps what it was asked for, and one that may not go before others does not', () => {
  const module = new URL('../../rtp/io/thread-niceness.ts', import.meta.url).href
  const program = `import { getPriority } from 'node:os'; import { goBefore } from ${JSON.stringify(module)}
    process.stdout.write([goBefore(-9), getPriority(0)].join(' '))`
  const run = (command: string, ...args: readonly string[]) =>
    execFileSync(
      command,
      [...args, process.execPath, '--input-type=module', '--disable-warning=ExperimentalWarning', '-e', program],
      { encoding: 'utf8' },
    ).trim()
  if (process.platform !== 'linux') return
  assert.is(run('nice', '-n', '3'), `false ${getPriority() + 3}`)
  if (process.getuid?.() !== 0) return
  assert.is(run('setpriv', '--bounding-set', '-sys_nice', '--inh-caps', '-sys_nice'), `false ${getPriority()}`)
})

if (process.platform === 'linux' && mayGoBefore)
  test('a process that a thread with precedence starts has none', async () => {
    const module = new URL('../../rtp/io/thread-niceness.ts', import.meta.url).href
    const program = `import { spawn } from 'node:child_process'; import { availableParallelism, getPriority } from 'node:os'
      import { goBefore, takeBack } from ${JSON.stringify(module)}
      goBefore(-9)
      const child = spawn('sleep', ['60']); takeBack(child.pid)
      process.stdout.write([getPriority(0), getPriority(child.pid)].join(' '))
      child.kill()`
    const child = spawn(process.execPath, [
      '--input-type=module',
      '--disable-warning=ExperimentalWarning',
      '-e',
      program,
    ])
    let said = ''
    for await (const text of child.stdout.setEncoding('utf8')) said += text
    assert.is(said.trim(), getPriority() === 0 ? '-9 0' : `${getPriority()} ${getPriority()}`)
  })

test.run()
