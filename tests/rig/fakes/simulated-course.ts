import { type SimulatedRemote, Simulation } from '../../../core/testing/index.ts'
import type { RemoteBehaviour } from '../../../core/testing/remote.ts'
import type { Course } from '../probes/course.ts'
import type { Callee, Party, Scenario } from '../probes/example-scenarios.ts'

const behaviourOf = (callee: Callee): RemoteBehaviour => {
  if (callee === 'busy') return { status: 486, ringsAfter: '10ms', after: '0.8s' }
  if (callee === 'rings') return 'no-answer'
  const answersAfter = '0.6s'
  return callee === 'stays' ? { answersAfter } : { answersAfter, hangsUpAfter: `${callee.hangsUpAfterMs}ms` }
}

interface Setting {
  readonly number: string
  readonly extensions: readonly string[]
  readonly rates: readonly { readonly prefix: string; readonly perMinute: string }[]
}

/** The scenario in virtual time. */
export async function simulatedCourse(scenario: Scenario, { number, extensions, rates }: Setting): Promise<Course> {
  const users = scenario.users ?? []
  const sauti = new Simulation({
    documents: scenario.documents,
    numbers: [number],
    rates,
    users: users.map(({ email, phone }, at) => ({
      extension: extensions[at] ?? '',
      email,
      displayName: email,
      phone: phone === null ? null : behaviourOf(phone),
    })),
    remotes: Object.fromEntries(
      Object.entries(scenario.callees ?? {}).map(([called, callee]) => [called, behaviourOf(callee)]),
    ),
  })
  const remotes: SimulatedRemote[] = []
  for (const party of scenario.parties) {
    const remote = await begin(sauti, party, number, extensions)
    remotes.push(remote)
    for (const { hears, keys, speaksMs } of party.turns ?? []) {
      await remote.hears(hears)
      if (speaksMs !== undefined) await remote.speak(`${speaksMs}ms`)
      if (keys !== undefined) await remote.press(keyed(keys, extensions))
    }
  }
  for (const [at, party] of scenario.parties.entries()) {
    const remote = remotes[at]
    if (party.hangsUpAfterMs === undefined || remote === undefined) continue
    await remote.answers()
    await sauti.run(`${party.hangsUpAfterMs}ms`)
    await remote.hangUp()
  }
  await sauti.run()
  return {
    received: remotes.map(remote => remote.transcript),
    requests: sauti.requests.map(({ url, fields }) => ({ path: url, fields })),
    events: sauti.events.map(({ code, data }) => ({ code, data })),
    calls: sauti.calls,
  }
}

async function begin(
  sauti: Simulation,
  { start }: Party,
  number: string,
  extensions: readonly string[],
): Promise<SimulatedRemote> {
  switch (start.by) {
    case 'caller':
      return sauti.call(number, { from: start.from })
    case 'phone':
      return sauti.callFrom(extensions[start.user] ?? '', start.to)
    case 'api':
      return sauti.originate(start)
  }
}

/** The keys with the extensions that they mean. */
export const keyed = (keys: string, extensions: readonly string[]): string =>
  keys.replace(/\{(\d)\}/g, (_, at: string) => extensions[Number(at)] ?? '')
