import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openLongCall } from '../../bench/trace/long-call.ts'
import type { CallTraces } from '../../core/adapters/trace/call-traces.ts'

// A call of an hour with 2,000 events, kept and read by the thread of traces.
const folder = mkdtempSync(join(tmpdir(), 'sauti-trace-'))
const wish = { reader: 'operator', form: 'json', after: 0, limit: 20_000, columns: 100 } as const

const readWhole = async (traces: CallTraces, id: string) => {
  const found = await traces.read(id, wish)
  if (found === undefined) throw new Error(`there is no trace of ${id}`)
  return JSON.parse(Buffer.from(found.body).toString())
}

test('a long call is read whole, by pages and as text, also after a restart; another account gets nothing', async () => {
  const { traces, sid } = await openLongCall(folder)
  const whole = await readWhole(traces, sid)
  assert.ok(whole.entries.length >= 2000, `${whole.entries.length} entries`)
  assert.equal(
    whole.rtp.map(({ ms }: { readonly ms: readonly number[] }) => ms.length),
    [3600, 3600],
  )
  assert.equal([whole.is_complete, whole.is_over, whole.has_more], [true, false, false])
  const seqs: number[] = []
  let points = 0
  for (let after = 0; ; ) {
    const found = await traces.read(sid, { ...wish, after, limit: 1500 })
    const page = JSON.parse(Buffer.from(found?.body ?? []).toString())
    seqs.push(...page.entries.map(({ seq }: { readonly seq: number }) => seq))
    for (const { ms } of page.rtp) points += ms.length
    after = page.last
    if (!page.has_more) break
  }
  assert.is(seqs.length, whole.entries.length)
  assert.is(new Set(seqs).size, seqs.length)
  assert.is(points, 7200)
  const text = Buffer.from((await traces.read(sid, { ...wish, form: 'text' }))?.body ?? []).toString()
  assert.ok(text.split('\n').length >= 2000)
  assert.is(await traces.read('nobody', wish), undefined)
  assert.ok(traces.counters.records >= 2000 && traces.counters.missed === 0, JSON.stringify(traces.counters))
  await traces.close()
  assert.is(await traces.read(sid, wish), undefined)

  const { traces: later } = await openLongCall(folder, 0)
  const again = await readWhole(later, sid)
  await later.close()
  assert.equal(again.rtp, whole.rtp)
  assert.equal(
    again.entries.map(({ text: line }: { readonly text: string }) => line),
    whole.entries.map(({ text: line }: { readonly text: string }) => line),
  )
})

test.after(() => rmSync(folder, { recursive: true, force: true }))
test.run()
