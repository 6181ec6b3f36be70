import { endReasons } from '../model/end-reason.ts'

import type { LegUuid } from '../model/ids.ts'
import { formatMoney } from '../model/money.ts'
import type { MemoryStore } from './memory-store.ts'
import type { CallEnd } from './simulated-remote.ts'

const secondsBetween = (from: number, to: number): number => Math.ceil((to - from) / 1000)

/** How the leg of a dialled party ended, which the call may outlive; undefined: it has not ended. */
export function dialledEnd(store: MemoryStore, legId: LegUuid): CallEnd | undefined {
  const leg = store.legs.get(legId)
  if (leg === undefined || leg.endedUnix === null || leg.reasonCode === '') return undefined
  const hold = [...store.holds.values()].find(({ legUuid }) => legUuid === legId)
  return {
    reason: leg.reasonCode,
    label: endReasons[leg.reasonCode].label,
    status: leg.answeredUnix === null ? 'failed' : 'completed',
    durationSeconds: secondsBetween(leg.startedUnix, leg.endedUnix),
    talkSeconds: leg.answeredUnix === null ? 0 : secondsBetween(leg.answeredUnix, leg.endedUnix),
    cost: formatMoney(hold?.charge ?? 0),
  }
}
