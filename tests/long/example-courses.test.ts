import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { callTasks } from '../../scripts/docs/examples-page.ts'
import { addTrunk, expectStatus } from '../rig/beds/account.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { sideBySide } from '../rig/beds/side-by-side.ts'
import { SwitchProcess } from '../rig/beds/switch-process.ts'
import { simulatedCourse } from '../rig/fakes/simulated-course.ts'
import { ToneVoices } from '../rig/fakes/tone-voices.ts'
import { type Course, difference } from '../rig/probes/course.ts'
import { type Scenario, scenarios } from '../rig/probes/example-scenarios.ts'
import { freePort } from '../rig/probes/ports.ts'
import { RealCourse } from '../rig/probes/real-course.ts'

// The twelve documents of docs/examples.md by real calls, all at once, against their simulations: whoever tests with
// sauti/testing is to get the same course in production.
const courses = suite('courses of the examples')
const tests = sideBySide(courses)

const deck = [{ prefix: '+254', direction: 'outbound', rate_per_minute: '3', increment_seconds: 60 }]
const rates = deck.map(({ prefix, rate_per_minute: perMinute }) => ({ prefix, perMinute }))

let on: SwitchProcess
let voices: ToneVoices
const prepared = new Map<Scenario, RealCourse>()

courses.before(async () => {
  requirePeers('sipp')
  voices = await ToneVoices.open()
  on = await SwitchProcess.start({
    SAUTI_OPENAI_URL: voices.speechUrl,
    SAUTI_OPENAI_KEY: 'none',
    SAUTI_SPEECH_VOICES: 'default=openai:tones',
  })
  expectStatus(await on.operator('PUT', '/rates', { rates: deck }), 200)
  await addTrunk(on, { name: 'carrier', port: await freePort(), prefixes: ['+1'] })
  for (const [at, scenario] of scenarios.entries()) {
    const number = `+2547000010${String(at).padStart(2, '0')}`
    prepared.set(scenario, await RealCourse.prepare(on, voices, scenario, number))
  }
})

courses.after(async () => {
  for (const real of prepared.values()) await real.close()
  await on?.close()
  voices?.close()
})

courses('every task has its scenario', () => {
  assert.equal(
    scenarios.map(({ name }) => name),
    callTasks.map(([name]) => name),
  )
})

for (const scenario of scenarios) {
  tests(scenario.name, async () => {
    const made = prepared.get(scenario)
    assert.ok(made, 'it was prepared')
    const { extensions, account } = made
    const real = await made.play()
    const simulated = await simulatedCourse(scenario, { number: account.number, extensions, rates })
    compare(simulated, real)
    const callbacks = real.events.filter(({ code }) => /^(CALL|DIAL|REC|BILL)\./.test(code))
    assert.equal(sorted(made.callbacks), sorted(callbacks), 'each event came as a callback, too')
  })
}

const sorted = (events: readonly unknown[]): readonly string[] => events.map(event => JSON.stringify(event)).sort()

function compare(simulated: Course, real: Course): void {
  assert.equal(real.received, simulated.received, 'what each party heard')
  assert.equal(linesOf(real), linesOf(simulated), 'requests and events in their order')
  for (const part of ['requests', 'events', 'calls'] as const) {
    assert.is(difference(simulated[part], real[part], part), undefined)
  }
}

const linesOf = ({ requests, events }: Course): readonly string[] => [
  ...requests.map(({ path }) => `request ${path}`),
  ...events.map(({ code, data }) => `${code} ${data.to_number ?? data.digit ?? ''}`),
]

courses.run()
