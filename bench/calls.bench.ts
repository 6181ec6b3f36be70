import { Sipp } from '../tests/rig/peers/sipp.ts'
import { freePort } from '../tests/rig/probes/ports.ts'
import { type Figure, ratioOf } from './report.ts'
import { Subject } from './subject.ts'

// Question: how many calls a second can one core set up and end as a back-to-back user agent, SIP alone (INVITE in,
// INVITE out, 180, 200, ACK, BYE; UDP; sipp on both sides)? Taken from the processor time of a call at a rate that
// the machine bears easily, against a program that only passes the same datagrams on.
const callsPerSecond = 400

/** Processor time of a call through `switch` or `plain-dgram`, at a rate that the machine bears easily. */
export async function roundOf(
  subject: 'switch' | 'plain-dgram',
  seconds: number,
): Promise<{ cpuMicros: number; failed: number }> {
  const measured = new Subject(new URL(`./calls/${subject}.ts`, import.meta.url))
  const [listen, callee] = [await freePort(), await freePort()]
  await measured.ask({ listen, callee })
  const load = async (calls: number): Promise<number> => {
    const far = new Sipp({ scenario: 'callee', localPort: callee, rtpPort: 9000, calls, trace: false })
    await new Promise(resolve => setTimeout(resolve, 300))
    const near = new Sipp({
      scenario: 'caller-hangs-up',
      remote: `127.0.0.1:${listen}`,
      localPort: await freePort(),
      rtpPort: 9002,
      service: '+254711000001',
      pauseMs: 100,
      calls,
      callsPerSecond,
      trace: false,
    })
    const result = await near.done
    far.stop()
    return result.code === 0 ? 0 : calls
  }
  // The first calls pay for compiling.
  let failed = await load(callsPerSecond)
  const before = await measured.cpuMicros()
  const calls = callsPerSecond * seconds
  failed += await load(calls)
  const cpuMicros = ((await measured.cpuMicros()) - before) / calls
  measured.stop()
  return { cpuMicros, failed }
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!

export async function run(short: boolean): Promise<Figure[]> {
  const rounds = short ? 1 : 3
  const seconds = short ? 2 : 10
  const ours: number[] = []
  const theirs: number[] = []
  for (let at = 0; at < rounds; at++) {
    const mine = await roundOf('switch', seconds)
    if (mine.failed > 0) throw new Error(`${mine.failed} calls failed`)
    ours.push(mine.cpuMicros)
    theirs.push((await roundOf('plain-dgram', seconds)).cpuMicros)
  }
  const micros = {
    what: 'SIP call, INVITE to BYE through a B2BUA',
    value: median(ours),
    unit: 'µs',
    baseline: median(theirs),
  }
  const perSecond = {
    what: '… calls a second that fill a core',
    value: 1e6 / micros.value,
    unit: '/s',
    baseline: 1e6 / micros.baseline,
  }
  return [micros, perSecond].map(figure => ({ ...figure, of: 'datagrams passed on, unread', ratio: ratioOf(figure) }))
}
