import { Random } from './random.ts'

export const packetMs = 20

/** When each packet is sent and arrives, in the listener's ms; Infinity = never. */
export interface Trace {
  readonly name: string
  /** What it is like, for the report. */
  readonly about: string
  readonly sentMs: Float64Array
  readonly arrivalMs: Float64Array
  /** The way of a packet that meets no obstacle. */
  readonly baseMs: number
  /** Whether the plots of delay show it. */
  readonly isPlotted: boolean
}

interface Model {
  readonly name: string
  readonly about: string
  readonly baseMs: number
  readonly isPlotted?: boolean
  /** By how much the sender's clock is slow. */
  readonly slowPpm?: number
  /** Packets overtake each other: they do not queue. */
  readonly overtakes?: boolean
  /** Gives for each packet what its way takes longer than the base; Infinity = lost. */
  readonly ways: (random: Random) => (sentMs: number) => number
}

/** Waits that begin by chance and hold up all that comes meanwhile. */
const stalls = (random: Random, everyMs: number, leastMs: number, mostMs: number) => {
  let from = everyMs * random.exponential()
  let until = from + random.between(leastMs, mostMs)
  return (sentMs: number): number => {
    while (sentMs > until) {
      from = until + everyMs * random.exponential()
      until = from + random.between(leastMs, mostMs)
    }
    return sentMs >= from ? until - sentMs : 0
  }
}

/** Gilbert's two states: bursts of losses with a mean length, and a mean loss in all. */
const bursts = (random: Random, loss: number, meanBurst: number) => {
  const toGood = 1 / meanBurst
  const toBad = (loss * toGood) / (1 - loss)
  let isBad = false
  return (): boolean => {
    isBad = random.next() < (isBad ? 1 - toGood : toBad)
    return isBad
  }
}

const lossy = (percent: number): Model => ({
  name: `loss ${percent} %`,
  about: `${percent} % lost in bursts of 3 on average, jitter of 4 ms`,
  baseMs: 25,
  overtakes: true,
  ways: random => {
    const isLost = bursts(random, percent / 100, 3)
    return () => {
      const way = Math.abs(4 * random.normal())
      return isLost() ? Infinity : way
    }
  },
})

const models: readonly Model[] = [
  {
    name: 'clean',
    about: 'a wired network: jitter of 1 ms',
    baseMs: 20,
    isPlotted: true,
    ways: random => () => Math.abs(random.normal()),
  },
  {
    name: 'drift',
    about: 'clean, but the remote’s clock is 500 ppm slow, as with a cheap sound card',
    baseMs: 20,
    slowPpm: 500,
    isPlotted: true,
    ways: random => () => Math.abs(2 * random.normal()),
  },
  {
    name: 'wifi',
    about: 'contention of 4 ms on average, the air busy for 40 to 140 ms every 2.5 s, 0.3 % lost',
    baseMs: 15,
    isPlotted: true,
    ways: random => {
      const held = stalls(random, 2500, 40, 140)
      return sentMs => {
        const way = 4 * random.exponential() + held(sentMs)
        return random.next() < 0.003 ? Infinity : way
      }
    },
  },
  {
    name: '4G',
    about: 'a load that wanders over 40 ms, slots of 8 ms, a handover of 150 to 350 ms every 15 s, 0.5 % lost',
    baseMs: 45,
    isPlotted: true,
    ways: random => {
      const held = stalls(random, 15_000, 150, 350)
      let load = 15
      return sentMs => {
        load = Math.max(0, Math.min(40, load + 2.5 * random.normal()))
        const way = load + 8 * Math.floor(2 * random.next() ** 2) + 3 * random.next() + held(sentMs)
        return random.next() < 0.005 ? Infinity : way
      }
    },
  },
  ...[1, 3, 10, 20].map(lossy),
]

/** All networks, for `packets` packets; the same seed gives the same. */
export const tracesOf = (packets: number, seed: number): Trace[] =>
  models.map((model, at) => {
    const way = model.ways(new Random(seed * 1009 + at))
    const sentMs = new Float64Array(packets)
    const arrivalMs = new Float64Array(packets)
    let last = 0
    for (let n = 0; n < packets; n++) {
      sentMs[n] = n * packetMs * (1 + (model.slowPpm ?? 0) / 1e6)
      const arrival = sentMs[n]! + model.baseMs + way(sentMs[n]!)
      arrivalMs[n] = arrival
      if (!Number.isFinite(arrival) || model.overtakes === true) continue
      // What queues comes out in the order in which it went in.
      arrivalMs[n] = Math.max(arrival, last + 0.2)
      last = arrivalMs[n]!
    }
    const { name, about, baseMs, isPlotted = false } = model
    return { name, about, sentMs, arrivalMs, baseMs, isPlotted }
  })
