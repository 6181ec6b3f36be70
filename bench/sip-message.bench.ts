import { createRequire } from 'node:module'
import { Bench } from 'tinybench'
import { formatMessage, parseMessage } from '../sip/index.ts'
import { invite } from './invite.ts'
import { type Figure, ratioOf } from './report.ts'

// Question: what does it cost to read an INVITE and to write it again, against the parser of the npm package `sip`?
interface OtherSip {
  parse(text: string): unknown
  stringify(message: unknown): string
}
const other = createRequire(import.meta.url)('sip') as OtherSip

export async function run(short: boolean): Promise<Figure[]> {
  const bytes = new TextEncoder().encode(invite)
  const decoder = new TextDecoder()
  const parsed = parseMessage(bytes)
  if (!parsed.ok) throw new Error(`the INVITE does not parse: ${parsed.reason}`)
  const message = parsed.value
  const theirs = other.parse(invite)
  const bench = new Bench({ time: short ? 200 : 1000, warmupTime: 200 })
  bench
    .add('parse', () => void parseMessage(bytes))
    .add('parse, npm sip', () => void other.parse(decoder.decode(bytes)))
    .add('format', () => void formatMessage(message))
    .add('format, npm sip', () => void other.stringify(theirs))
  await bench.run()
  const micros = (name: string): number => {
    const result = bench.getTask(name)?.result
    if (result === undefined || !('latency' in result)) throw new Error(`${name} did not run`)
    return result.latency.p50 * 1000
  }
  return [
    {
      what: 'INVITE parsed',
      value: micros('parse'),
      unit: 'µs',
      baseline: micros('parse, npm sip'),
      of: 'npm sip 0.0.6',
    },
    {
      what: 'INVITE formatted',
      value: micros('format'),
      unit: 'µs',
      baseline: micros('format, npm sip'),
      of: 'npm sip 0.0.6',
    },
  ].map(figure => ({ ...figure, ratio: ratioOf(figure) }))
}
