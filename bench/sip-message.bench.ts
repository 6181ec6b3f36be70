import { createRequire } from 'node:module'
import { Bench } from 'tinybench'
import { defaultLimits, defaultTimers, Endpoint, formatMessage, parseMessage } from '../sip/index.ts'
import { invite } from './invite.ts'
import { type Figure, ratioOf } from './report.ts'

// Questions: what does it cost to read an INVITE and to write it again, against the parser of the npm package `sip`? And to refuse one
// for load, unread and read?
interface OtherSip {
  parse(text: string): unknown
  stringify(message: unknown): string
}
const other = createRequire(import.meta.url)('sip') as OtherSip

const flow = {
  transport: 'udp',
  address: '203.0.113.9',
  port: 5060,
  socket: 1,
  localHost: '198.51.100.7',
  localPort: 5060,
} as const

/** A switch that takes no call from its only trunk. */
function refusingEndpoint(): Endpoint {
  const endpoint = new Endpoint({
    timers: defaultTimers,
    limits: defaultLimits,
    realm: 'sauti.test',
    userAgent: 'Sauti',
    random: length => new Uint8Array(length),
    hash: () => '',
    newId: () => '',
    gate: { admits: () => false, isOpenTo: () => false },
  })
  const peer = { id: 'carrier', host: '203.0.113.9', port: 5060, transport: 'udp', username: '', password: '' } as const
  endpoint.handle(
    { type: 'peers', peers: [{ ...peer, register: false, inboundHosts: [peer.host], optionsPingSeconds: 0 }] },
    0,
  )
  return endpoint
}

export async function run(short: boolean): Promise<Figure[]> {
  const bytes = new TextEncoder().encode(invite)
  const decoder = new TextDecoder()
  const parsed = parseMessage(bytes)
  if (!parsed.ok) throw new Error(`the INVITE does not parse: ${parsed.reason}`)
  const message = parsed.value
  const theirs = other.parse(invite)
  const refusing = refusingEndpoint()
  const bench = new Bench({ time: short ? 200 : 1000, warmupTime: 200 })
  bench
    .add('parse', () => void parseMessage(bytes))
    .add('parse, npm sip', () => void other.parse(decoder.decode(bytes)))
    .add('format', () => void formatMessage(message))
    .add('format, npm sip', () => void other.stringify(theirs))
    .add('refuse, unread', () => void refusing.refusalOf(bytes, flow, 0, 0))
    .add('refuse, read', () => void refusing.handle({ type: 'received', bytes, flow }, 0))
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
    {
      what: 'INVITE refused for load, unread',
      value: micros('refuse, unread'),
      unit: 'µs',
      baseline: micros('refuse, read'),
      of: 'the same, parsed first',
    },
  ].map(figure => ({ ...figure, ratio: ratioOf(figure) }))
}
