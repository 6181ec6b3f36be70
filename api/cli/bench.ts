import type { Found } from '../benchmark/search.ts'
import { UsageError } from './action/arguments.ts'
import { type Command, textOf } from './command.ts'
import { progressBar } from './progress.ts'

const usual = { mostCalls: 1600, seconds: 3, refinements: 1 }
const short = { mostCalls: 50, seconds: 1, refinements: 0 }

/** `sauti bench`. */
export const bench: Command = {
  name: 'bench',
  summary: 'measure how many calls this machine can carry',
  words: [],
  about: `Starts a switch of its own on the loopback, in a folder that is removed afterwards, and callers and a carrier for it: bridged
calls with G.711 both ways, each by a hosted document with Dial, hold, settlement and events. It doubles the calls a second, then the
concurrent calls, until a limit is exceeded: set-up p99 over 100 ms, one packet in a thousand lost, a media thread that is busy 85 % of
the time. Prints the highest load that held, and the first limit. It takes two minutes at most. It does not touch a running switch, but shares its
processors: measure while that switch is idle. The callers need a processor of their own. Linux only.`,
  flags: [
    { flag: 'most-calls', value: 'N', help: `no more calls at once than this (${usual.mostCalls})` },
    { flag: 'short', help: 'a trial of 15 seconds, too short to judge the machine' },
  ],
  settings: [],
  needsNoSettings: true,
  examples: ['sauti bench', 'sauti bench --json'],
  exits: { 0: 'measured', 1: 'it could not be measured', 2: 'a flag is wrong' },
  run: async ({ given, print }) => {
    const written = textOf(given, 'most-calls')
    if (written !== undefined && !/^[1-9]\d{0,3}$/.test(written))
      throw new UsageError(`--most-calls wants a number from 1 to 9999, not "${written}"`)
    const plan = given.flags.has('short') ? short : usual
    const mostCalls = written === undefined ? plan.mostCalls : Number(written)
    const { measureMachine } = await import('../benchmark/machine.ts')
    const bar = progressBar(process.stderr)
    try {
      const progress = (part: string, done: number) => bar(part.padEnd(20), Math.round(1000 * done), 1000)
      const report = await measureMachine({ ...plan, mostCalls, progress })
      if (given.flags.has('json')) print(JSON.stringify(report, null, 2))
      else {
        const { bridgedCalls, callsPerSecond, insideMs } = report
        print(
          [
            `this machine: ${atLeast(bridgedCalls)} bridged calls, ${atLeast(callsPerSecond)} calls a second (${report.processors} processors)`,
            `first wall of calls at once: ${bridgedCalls.wall ?? 'none was met'}`,
            `first wall of calls a second: ${callsPerSecond.wall ?? 'none was met'}`,
            `a relayed packet: ${report.microsPerPacket.toFixed(1)} µs of its media thread, inside for ${insideMs.p50.toFixed(1)} ms (p99 ${insideMs.p99.toFixed(1)} ms)`,
          ].join('\n'),
        )
      }
      return 0
    } catch (error) {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
      return 1
    }
  },
}

/** A limit of the callers says nothing about the switch. */
const atLeast = ({ most, wall }: Found): string =>
  wall === undefined || wall.startsWith('the generator') ? `at least ${most}` : String(most)
