import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addTrunk, BedAccount, expectStatus } from '../rig/beds/account.ts'
import { storeCalls } from '../rig/beds/stored-calls.ts'
import { SwitchProcess } from '../rig/beds/switch-process.ts'
import { SipProbe } from '../rig/probes/sip-probe.ts'
import { sleep } from '../rig/probes/wait.ts'

// The signalling thread waits for no disk: calls while another process holds the database's write lock, and while another
// account lists and searches 100,000 calls.
const waits = suite('the store keeps nobody waiting')

const storedCalls = 100_000
/** Nothing of a switch that waits for its disk is this fast: the lock is held for 3 s, and SQLite waits 5. */
const promptMs = 1000

/** What is measured is how long calls wait, and not which of them a busy machine turns away. */
const unbounded = ['loop-delay', 'invite-wait', 'media-late', 'media-busy', 'memory'].map(of => `--admission-${of}=0`)

let on: SwitchProcess
let busy: BedAccount
let quiet: BedAccount
let probe: SipProbe

waits.before(async () => {
  on = await SwitchProcess.start({ SAUTI_LOG: 'info' }, '127.0.0.1', unbounded)
  busy = await BedAccount.make(on)
  quiet = await BedAccount.make(on)
  expectStatus(await on.operator('PATCH', `/accounts/${quiet.uuid}`, { max_inbound_calls: 1000 }), 200)
  await quiet.hosts('voice_inbound', '<Reject/>')
  await addTrunk(on, { name: 'in', port: 5099, prefixes: [] })
  await on.kill('SIGTERM')
  storeCalls(join(on.dataFolder, 'sauti.db'), busy.uuid, storedCalls)
  const readyMs = await on.open()
  process.stdout.write(`ready ${readyMs} ms after its start, with ${storedCalls} calls stored\n`)
  probe = await SipProbe.open(on.sipPort)
})

waits.after(async () => {
  probe?.close()
  await on?.close()
})

waits('a write lock of another process for 3 s: SIP answers, /health/ reports it, no call is lost', async () => {
  await callsInTurn(10)
  const foreign = new BetterSqlite(join(on.dataFolder, 'sauti.db'))
  foreign.exec('BEGIN IMMEDIATE')
  const until = performance.now() + 3000
  const firsts: number[] = []
  const calls: Promise<{ status: number; finalMs: number }>[] = []
  const options: number[] = []
  while (performance.now() < until) {
    options.push(await probe.options())
    const begun = performance.now()
    const call = probe.invite(quiet.number)
    calls.push(call)
    await sleep(100)
    void call.then(({ firstMs }) => firsts.push(firstMs))
    assert.ok(performance.now() - begun < promptMs + 100, 'the loop of this test')
  }
  const health = await fetch(`${on.baseUrl}/health/`)
  assert.is(health.status, 503)
  const listed = expectStatus(await busy.api('GET', '/calls/?limit=1'), 200)
  assert.is(listed.body.total, storedCalls)
  foreign.exec('ROLLBACK')
  foreign.close()
  const ended = await Promise.all(calls)
  process.stdout.write(`locked: ${calls.length} calls, OPTIONS ${said(options)}; first response ${said(firsts)}\n`)
  for (const ms of [...options, ...firsts]) assert.ok(ms < promptMs, `answered after ${ms} ms`)
  assert.ok(ended.every(({ status }) => status >= 400 && status < 700))
  assert.ok(
    ended.some(({ finalMs }) => finalMs > 1000),
    'they waited for their rows',
  )
  const stored = expectStatus(await quiet.api('GET', '/calls/?limit=1'), 200)
  assert.is(stored.body.total, 10 + calls.length)
  assert.is((await fetch(`${on.baseUrl}/health/`)).status, 200)
})

waits('eight connections that search 100,000 calls: the calls of another account are set up as before', async () => {
  const before = await callsInTurn(100)
  let isOver = false
  let lists = 0
  const answers = new Map<number, number>()
  const listing = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      const answer = await busy.api('GET', '/calls/?search=99999&limit=200')
      answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1)
      lists++
    }
  })
  await sleep(500)
  const health: number[] = []
  const during = await callsInTurn(100, async () => {
    const begun = performance.now()
    assert.is((await fetch(`${on.baseUrl}/health/`)).status, 200)
    health.push(performance.now() - begun)
  })
  isOver = true
  await Promise.all(listing)
  const after = await callsInTurn(100)
  process.stdout.write(`set-up before ${said(before)}; during ${lists} lists ${said(during)}; after ${said(after)}\n`)
  process.stdout.write(`/health/ during ${said(health)}; answers ${JSON.stringify([...answers])}\n`)
  assert.ok(lists > 10)
  assert.equal([...answers.keys()], [200])
  // It was 800 to 1,200 ms. The bound allows for a machine whose processors are all taken by others.
  assert.ok(quantile(during, 0.5) < Math.max(50, 5 * quantile(before, 0.5)), said(during))
  assert.ok(quantile(during, 0.9) < Math.max(250, 5 * quantile(before, 0.9)), said(during))
})

waits.run()

/** One after another: how long from INVITE to the final response that the number's document gives. */
async function callsInTurn(count: number, between: () => Promise<void> = async () => {}): Promise<number[]> {
  const times: number[] = []
  for (let at = 0; at < count; at++) {
    const { finalMs, status } = await probe.invite(quiet.number)
    assert.is(status, 603)
    times.push(finalMs)
    if (at % 10 === 0) await between()
    await sleep(10)
  }
  return times
}

function quantile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0
}

function said(values: readonly number[]): string {
  const [p50, p90, p99] = [0.5, 0.9, 0.99].map(share => quantile(values, share).toFixed(1))
  return `p50 ${p50} ms, p90 ${p90} ms, p99 ${p99} ms`
}
