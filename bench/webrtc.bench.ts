import { type Figure, ratioOf } from './report.ts'
import { Subject } from './subject.ts'
import type { WebrtcQuestion } from './webrtc/questions.ts'
import { Remotes } from './webrtc/remotes.ts'

// Question: what processor time does a packet of a browser's leg cost (G.711, 20 ms; opened, rewritten, protected, sent),
// and a leg's setting up (offer, answer, checks, DTLS handshake, keys, end), against werift's RTCPeerConnection doing the
// same under the same load, rounds taking turns?
const packetsPerSecond = 50

type Kind = 'browser' | 'plain'
interface Relay {
  readonly microsPerPacket: number
  readonly lost: number
}

const ask = <Answer>(subject: Subject, question: WebrtcQuestion): Promise<Answer> => subject.ask(question)

async function relay(name: string, other: Kind, legs: number, seconds: number): Promise<Relay> {
  const subject = new Subject(new URL(`./webrtc/${name}.ts`, import.meta.url))
  const ends = new Remotes()
  for (let leg = 0; leg < legs; leg++) await ends.add(leg % 2 === 0 ? 'browser' : other)
  await ends.accept(await ask(subject, { type: 'open', offers: ends.offers, bridged: true }))
  await ends.load(1500)
  await ends.settle()
  const [cpu, sent, received] = [await subject.cpuMicros(), ends.sent, ends.received]
  await ends.load(seconds * 1000)
  const packets = ends.sent - sent
  const microsPerPacket = ((await subject.cpuMicros()) - cpu) / packets
  await ends.settle()
  const lost = (packets - (ends.received - received)) / packets
  subject.stop()
  ends.close()
  // A program that passes nothing on is no baseline.
  if (lost > 0.5) throw new Error(`${name} lost ${Math.round(lost * 100)} % of its packets`)
  return { microsPerPacket, lost }
}

/** Processor time of a leg from its offer to its keys, and of its end, in µs. */
async function setup(name: string, batches: number): Promise<number> {
  const atOnce = 20
  const subject = new Subject(new URL(`./webrtc/${name}.ts`, import.meta.url))
  const batch = async () => {
    const ends = new Remotes()
    for (let leg = 0; leg < atOnce; leg++) await ends.add('browser')
    await ends.accept(await ask(subject, { type: 'open', offers: ends.offers, bridged: false }))
    await ask(subject, { type: 'close' })
    ends.close()
  }
  // The first pay for compiling.
  await batch()
  const before = await subject.cpuMicros()
  for (let i = 0; i < batches; i++) await batch()
  const micros = ((await subject.cpuMicros()) - before) / (batches * atOnce)
  subject.stop()
  return micros
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!

export async function run(short: boolean): Promise<Figure[]> {
  const rounds = short ? 1 : 5
  const seconds = short ? 2 : 6
  const legs = short ? 20 : 100
  const many = 400
  const kinds = ['browser', 'plain'] as const
  const names = ['switch', 'werift'] as const
  const relays = new Map<string, Relay[]>()
  const setups = new Map<string, number[]>()
  const crowd: Relay[] = []
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      for (const kind of kinds) {
        const key = `${name} ${kind}`
        relays.set(key, [...(relays.get(key) ?? []), await relay(name, kind, legs, seconds)])
      }
      setups.set(name, [...(setups.get(name) ?? []), await setup(name, short ? 2 : 10)])
    }
    crowd.push(await relay('switch', 'browser', many, seconds))
  }
  const of = 'werift 0.25.2, RTCPeerConnection'
  const cost = (name: string, kind: Kind) => median((relays.get(`${name} ${kind}`) ?? []).map(it => it.microsPerPacket))
  const setupOf = (name: string) => median(setups.get(name) ?? [])
  const micros = { unit: 'µs', of }
  const legsOf = (micros: number) => 1e6 / (micros * packetsPerSecond)
  const crowdCost = median(crowd.map(it => it.microsPerPacket))
  const figures: Omit<Figure, 'ratio'>[] = [
    {
      what: `SRTP packet browser ↔ browser, ${legs} legs`,
      value: cost('switch', 'browser'),
      baseline: cost('werift', 'browser'),
      ...micros,
    },
    {
      what: `packet browser ↔ SIP, ${legs} legs`,
      value: cost('switch', 'plain'),
      baseline: cost('werift', 'plain'),
      ...micros,
    },
    {
      what: `SRTP packet browser ↔ browser, ${many} legs`,
      value: crowdCost,
      baseline: cost('werift', 'browser'),
      ...micros,
    },
    {
      what: `… packets lost of ${many * packetsPerSecond} a second`,
      value: median(crowd.map(it => it.lost)) * 100,
      baseline: median((relays.get('werift browser') ?? []).map(it => it.lost)) * 100,
      unit: '%',
      of: `werift's of ${legs * packetsPerSecond} a second`,
    },
    {
      what: 'WebRTC legs a core, by that cost',
      value: legsOf(crowdCost),
      baseline: legsOf(cost('werift', 'browser')),
      unit: 'legs',
      of,
    },
    {
      what: 'DTLS handshakes a second on a core, SDP, ICE and end of the leg included',
      value: 1e6 / setupOf('switch'),
      baseline: 1e6 / setupOf('werift'),
      unit: '/s',
      of,
    },
  ]
  return figures.map(figure => ({ ...figure, ratio: figure.baseline === 0 ? 0 : ratioOf(figure) }))
}
