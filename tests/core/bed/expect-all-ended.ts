import * as assert from 'uvu/assert'
import type { CallBed } from './call-bed.ts'

/** After that long nothing is left anywhere: no call, leg, session or deadline, no hold, nothing that was logged. */
export function expectAllEnded(rig: CallBed, afterMs = 120_000): void {
  rig.run(afterMs)
  assert.ok(rig.exchange.isEmpty, 'the exchange is empty')
  assert.is(rig.exchange.deadline(), undefined)
  assert.is(rig.sessions.size, 0)
  assert.is(rig.sipLegs.size, 0)
  assert.equal(rig.logged, [])
  for (const hold of rig.store.holds.values()) assert.type(hold.charge, 'number')
  for (const account of rig.store.accounts.values()) assert.is(account.held, 0)
}
