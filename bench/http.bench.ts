import { Pool } from 'undici'
import type { HttpSubject } from './http/server.ts'
import { type Figure, ratioOf } from './report.ts'
import { Subject } from './subject.ts'

// Question: how many requests a second does one core answer, reading (a page of 50 calls) and placing calls (to a
// number of the same switch, which declines: admission, ledger hold, events, both call rows, all durable), against a
// bare Fastify route with answers of the same size, rounds taking turns?
interface Rates {
  readonly list: number
  readonly originate: number
}

async function round(subject: string, requests: number): Promise<Rates> {
  const measured = new Subject(new URL(`./http/${subject}.ts`, import.meta.url))
  const { url, headers, body } = await measured.ask<HttpSubject>('open')
  const pool = new Pool(url, { connections: 16 })
  const perSecond = async (method: 'GET' | 'POST', path: string, count: number): Promise<number> => {
    const before = await measured.cpuMicros()
    let left = count
    const wanted = method === 'GET' ? 200 : 201
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        while (left-- > 0) {
          const answer = await pool.request({ method, path, headers, ...(method === 'POST' ? { body } : {}) })
          const text = await answer.body.text()
          if (answer.statusCode !== wanted) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`)
        }
      }),
    )
    // What the calls still do after their answer belongs to them.
    await new Promise(resolve => setTimeout(resolve, 300))
    return (1e6 * count) / ((await measured.cpuMicros()) - before)
  }
  await perSecond('POST', '/calls/originate', 300)
  await perSecond('GET', '/calls/', 300)
  const originate = await perSecond('POST', '/calls/originate', requests)
  const list = await perSecond('GET', '/calls/', requests)
  await pool.close()
  measured.stop()
  return { list, originate }
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!

export async function run(short: boolean): Promise<Figure[]> {
  // The limit of 3,000 requests a minute is part of what is measured, and must not be reached.
  const requests = short ? 300 : 1000
  const ours: Rates[] = []
  const bare: Rates[] = []
  for (let at = 0; at < (short ? 1 : 3); at++) {
    ours.push(await round('switch', requests))
    bare.push(await round('bare', requests))
  }
  return (['list', 'originate'] as const).map(kind => {
    const figure = {
      what: kind === 'list' ? 'GET /calls/, requests a core answers' : 'POST /calls/originate, the same',
      value: median(ours.map(rates => rates[kind])),
      baseline: median(bare.map(rates => rates[kind])),
      unit: '/s',
      of: 'bare Fastify route (more is better)',
    }
    return { ...figure, ratio: ratioOf(figure) }
  })
}
