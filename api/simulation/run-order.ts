import { parentPort, workerData } from 'node:worker_threads'
import { behaviourNames, courseOf, type RemoteBehaviour, Simulation } from '../../core/testing/index.ts'
import { longestCallMs, playCaller } from './caller.ts'
import type { FromSimulation, RatesGiven, SimulatedCourse, SimulationOrder } from './order.ts'
import { namedIn } from './reached-numbers.ts'

// What the simulation's thread does with the order that it was started with.

async function courseFor(order: SimulationOrder, { rates }: RatesGiven): Promise<SimulatedCourse> {
  const { documents, url, talkSeconds, from, to, users } = order
  const named = behaviourNames.find(name => name === order.answer)
  const phone: RemoteBehaviour = named ?? { hangsUpAfter: talkSeconds }
  const sauti = new Simulation({
    documents: call => {
      const found = call.url.startsWith(url) ? order.body : documents[call.url.split(/[?#]/, 1)[0] ?? '']
      if (found === undefined) throw new Error('status 404')
      return found
    },
    webhook: url,
    numbers: [to],
    users: users.map(({ extension, isRegistered }) => ({ extension, phone: isRegistered ? phone : null })),
    balance: '1000.00',
    ...(rates === undefined ? {} : { rates }),
    otherRemotes: phone,
  })
  const caller = sauti.call(to, { from })
  const hangUpAtMs = order.hangUpAfterSeconds === undefined ? longestCallMs : 1000 * order.hangUpAfterSeconds
  await playCaller(sauti, caller, { press: order.press, speakSeconds: order.speakSeconds, hangUpAtMs })
  const end = await caller.ended()
  const steps = courseOf(sauti, caller).slice(0, maxSteps)
  return {
    steps: steps.map(({ atMs, text }) => ({ at_ms: Math.round(atMs), text })),
    end: {
      status: end.status,
      reason_code: end.reason,
      reason_label: end.label,
      duration_seconds: end.durationSeconds,
      talk_seconds: end.talkSeconds,
      cost: end.cost,
    },
  }
}

/** A course that is longer is no reading. */
const maxSteps = 1000

const order = workerData as SimulationOrder
const post = (message: FromSimulation): void => parentPort?.postMessage(message)

parentPort?.once('message', (given: RatesGiven) => {
  courseFor(order, given).then(
    course => post({ type: 'course', course }),
    (fault: unknown) => post({ type: 'fault', fault: fault instanceof Error ? fault.message : String(fault) }),
  )
})
post({ type: 'rates', named: namedIn([order.body, ...Object.values(order.documents)]) })
