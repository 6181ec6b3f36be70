import * as assert from 'uvu/assert'
import type { OpenDial } from '../../../core/model/open-dial.ts'
import type { Change } from '../../../core/ports/store.ts'

const sorted = (sids: Iterable<unknown>) => [...sids].sort()

/**
 * Whenever the process is killed: each Dial that has been reported and has not ended is named by one row of a leg, so that
 * the next start can report its end; and no row names another.
 */
export function expectDialsNamed(units: readonly (readonly Change[])[]): void {
  const open = new Set<unknown>()
  const named = new Map<string, OpenDial | null>()
  for (const [nth, unit] of units.entries()) {
    for (const change of unit) {
      if (change.type === 'leg.insert') named.set(change.leg.uuid, change.leg.dial)
      else if (change.type === 'leg.update' && change.set.dial !== undefined) named.set(change.uuid, change.set.dial)
      else if (change.type === 'event.append') {
        const { code, data } = change.event
        if (code === 'DIAL.0100') open.add(data.dial_sid)
        else if (code === 'DIAL.0300' || code === 'DIAL.0400') open.delete(data.dial_sid)
      }
    }
    const sids = [...named.values()].flatMap(dial => dial?.sid ?? [])
    assert.equal(sorted(sids), sorted(open), `after unit ${nth + 1} of ${units.length}`)
  }
  assert.is(open.size, 0, 'every Dial has ended')
}
