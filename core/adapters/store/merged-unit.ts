import type { Change } from '../../ports/store.ts'
import type { CallTables } from './call-rows.ts'

type RowTables = Pick<CallTables, 'calls' | 'legs'>

/**
 * The changes of a unit, where a call or leg that it inserts and updates later on is one insert of the last state: an update would
 * write the row and its entries in the indices a second time. All commit together, so none sees the state between.
 */
export function mergedUnit(unit: readonly Change[], { calls, legs }: RowTables): readonly Change[] {
  if (!unit.some(isInsert)) return unit
  const merged: Change[] = []
  for (const change of unit) {
    const begun =
      change.type === 'call.update' || change.type === 'leg.update'
        ? merged.findIndex(earlier => isInsert(earlier) && uuidOf(earlier) === change.uuid)
        : -1
    const insert = merged[begun]
    if (insert?.type === 'call.insert' && change.type === 'call.update') {
      merged[begun] = { type: 'call.insert', call: calls.updated(insert.call, change.set) }
    } else if (insert?.type === 'leg.insert' && change.type === 'leg.update') {
      merged[begun] = { type: 'leg.insert', leg: legs.updated(insert.leg, change.set) }
    } else merged.push(change)
  }
  return merged
}

type Insert = Extract<Change, { type: 'call.insert' | 'leg.insert' }>

const isInsert = (change: Change): change is Insert => change.type === 'call.insert' || change.type === 'leg.insert'

const uuidOf = (insert: Insert): string => (insert.type === 'call.insert' ? insert.call.uuid : insert.leg.uuid)
