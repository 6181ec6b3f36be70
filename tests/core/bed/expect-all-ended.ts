import * as assert from 'uvu/assert'
import type { CallBed } from './call-bed.ts'
import { expectDialsNamed } from './expect-dials-named.ts'

/** After that long nothing is left anywhere: no call, leg, session or deadline, no hold, nothing that was logged. */
export function expectAllEnded(bed: CallBed, afterMs = 120_000): void {
  bed.run(afterMs)
  assert.ok(bed.exchange.isEmpty, 'the exchange is empty')
  assert.is(bed.exchange.deadline(), undefined)
  assert.is(bed.sessions.size, 0)
  assert.is(bed.sipLegs.size, 0)
  assert.equal(bed.logged, [])
  expectDialsNamed(bed.store.units)
  for (const hold of bed.store.holds.values()) assert.type(hold.charge, 'number')
  for (const account of bed.store.accounts.values()) assert.is(account.held, 0)
}
