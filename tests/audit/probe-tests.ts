import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { probes, type Row, rowOf } from './audit.ts'
import type { Probe } from './probe.ts'

/**
 * A test for each probe that is `chosen`. `atOnce` of them run beside each other, as each has a switch of its own and most
 * of them wait for what a switch gives up, or must not do; each is reported in its turn.
 */
export function testProbes(chosen: (probe: Probe) => boolean, atOnce: number): void {
  const all = probes.filter(chosen)
  let rows: readonly Promise<Row>[] | undefined
  for (const [at, { name }] of all.entries()) {
    test(name, async () => {
      rows ??= begin(all, atOnce)
      const row = await rows[at]
      assert.ok(row !== undefined && row.inputs > 0, row?.broken.join('\n') || 'nothing was tried')
      assert.equal(row.broken, [])
    })
  }
  test.run()
}

/** In their order, `atOnce` at a time. */
function begin(all: readonly Probe[], atOnce: number): readonly Promise<Row>[] {
  const results = all.map(() => Promise.withResolvers<Row>())
  const queue = [...all.entries()]
  const lane = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [at, probe] = next
      results[at]?.resolve(await rowOf(probe))
    }
  }
  for (let n = 0; n < atOnce; n++) void lane()
  return results.map(({ promise }) => promise)
}
