import { run as measureStart } from '../start.bench.ts'
import { backToBack, fullCall } from './call-goals.ts'
import type { GoalOrder } from './goal-order.ts'
import type { GoalRow } from './goal-row.ts'
import { fullCore, promptPacket, relayedPacket, transcodedPacket } from './media-goals.ts'

async function start({ command, progress }: GoalOrder): Promise<readonly GoalRow[]> {
  progress('start: the package with 100,000 calls stored')
  const figures = await measureStart(false)
  const found = figures.find(({ what }) => what.startsWith('package:'))
  const missing = found === undefined ? { unsound: 'the package is not built' } : {}
  return [
    {
      what: 'start of the package, exec to the first answer, 100,000 calls stored',
      value: found?.value ?? 0,
      unit: 'ms',
      goal: 500,
      ...missing,
      command,
    },
  ]
}

/** Each on its own machine time; what it is held against takes turns with it. */
export const measurements: Readonly<Record<string, (order: GoalOrder) => Promise<readonly GoalRow[]>>> = {
  call: fullCall,
  sip: backToBack,
  relay: relayedPacket,
  core: fullCore,
  play: promptPacket,
  transcode: transcodedPacket,
  start,
}
