import { type BenchOptions, type Figure, figureOf } from './report.ts'
import { useBuiltProgram } from './served-program.ts'
import { soakCalls } from './soak-calls/soak-calls.ts'

// Question: does a served switch keep anything of the calls that have gone? Fifty calls a second of every kind (all verbs; trunks
// by UDP, TCP and SRTP, phones by WebSocket, calls placed by the API, callees that answer, are busy, or ring on; webhooks that
// fail), a media thread ended every half minute; then a minute of silence.
const usual = { minutes: 60, callsPerSecond: 50, killEverySeconds: 30 }
const brief = { minutes: 1, callsPerSecond: 20, killEverySeconds: 15 }

/** tests/long/soak-calls.test.ts. */
export const isLongTest = true

let verdict = ''

export const table = (): string => verdict

export async function run(short: boolean, options: BenchOptions = {}): Promise<Figure[]> {
  useBuiltProgram()
  // Along with all other benchmarks it only shows that it runs.
  const plan = short || options.isNamed !== true ? brief : usual
  const minutes = options.minutes ?? plan.minutes
  const callsPerSecond = options.calls ?? plan.callsPerSecond
  const result = await soakCalls({
    ...plan,
    minutes,
    callsPerSecond,
    onProgress: line => process.stderr.write(`${line}\n`),
  })
  const { left, openRows, check, heapMb, residentMb, crashed } = result
  const growth = Math.max(heapMb.end / heapMb.warm, residentMb.end / residentMb.warm)
  const isRight =
    Object.keys(left).length === 0 &&
    openRows === 0 &&
    check.code === 0 &&
    crashed === 0 &&
    (minutes < 15 || growth < 1.15)
  verdict = [
    `${isRight ? 'right' : 'WRONG'}: ${result.calls} calls, ${result.threadsLost} media threads ended`,
    `left: ${Object.keys(left).length === 0 ? 'nothing' : JSON.stringify(left)}; open rows: ${openRows}; faults: ${crashed}`,
    `sauti check: ${check.code === 0 ? 'right' : check.output}`,
  ].join('\n')
  if (!isRight) process.exitCode = 1
  return [
    figureOf(
      `soak of ${minutes} min at ${callsPerSecond} calls/s: calls`,
      result.calls,
      '',
      minutes * 60 * callsPerSecond,
      'offered',
    ),
    figureOf('… heap at the end, garbage collected', heapMb.end, 'MB', heapMb.warm, 'when warm'),
    figureOf('… resident memory at the end, garbage collected', residentMb.end, 'MB', residentMb.warm, 'when warm'),
    figureOf('… kinds of things left over', Object.keys(left).length + openRows, '', 0, 'demanded'),
  ]
}
