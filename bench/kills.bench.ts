import { seeded } from '../tests/rig/probes/seeded.ts'
import { killsUnderLoad } from './kills/kills.ts'
import { percentile } from './overload/burst.ts'
import { type BenchOptions, type Figure, figureOf } from './report.ts'
import { useBuiltProgram } from './served-program.ts'

// Question: what is lost when a switch is killed with calls on it? kill -9 at random moments under load, on one data folder; then
// every row is held against what the customer's server and the API's client received.
const usual = 200
const brief = 8

/** tests/long/kills.test.ts. */
export const isLongTest = true

let verdict = ''

export const table = (): string => verdict

export async function run(short: boolean, options: BenchOptions = {}): Promise<Figure[]> {
  useBuiltProgram()
  const kills = options.kills ?? (short || options.isNamed !== true ? brief : usual)
  const seed = Number(process.env.SAUTI_TEST_SEED ?? Date.now() % 1_000_000)
  const result = await killsUnderLoad({
    kills,
    inboundPerSecond: 20,
    placedPerSecond: 10,
    random: seeded(seed),
    onProgress: line => process.stderr.write(`${line}\n`),
  })
  const { findings, restartMs, recoveryMs } = result
  verdict = [
    `seed ${seed}: ${result.calls} calls, ${result.interrupted} of them interrupted, ${result.events} events, ${result.repeated} of them reported once more`,
    `restart, exec to listening: ${distributionOf(restartMs)}; of that recovery: ${distributionOf(recoveryMs)}`,
    findings.length === 0
      ? 'right: nothing open, nothing charged twice, no event lost or doubled'
      : findings.join('\n'),
  ].join('\n')
  if (findings.length > 0) process.exitCode = 1
  return [
    figureOf(`kill -9 under load, ${kills} times: findings`, findings.length, '', 0, 'demanded'),
    figureOf('… restart, median', percentile(restartMs, 0.5), 'ms', 1000, 'demanded at most'),
    figureOf('… of that recovery, worst', Math.max(...recoveryMs), 'ms', 1000, 'demanded at most, with the start'),
    figureOf('… restart, worst', Math.max(...restartMs), 'ms', 1000, 'demanded at most'),
  ]
}

const distributionOf = (ms: readonly number[]): string =>
  [0.5, 0.9, 0.99, 1]
    .map(share => `${share === 1 ? 'worst' : `p${share * 100}`} ${percentile(ms, share)} ms`)
    .join(', ')
