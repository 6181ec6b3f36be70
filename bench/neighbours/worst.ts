import type { ServerResponse } from 'node:http'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { Customer } from '../../tests/rig/customer.ts'
import { SipProbe } from '../../tests/rig/sip-probe.ts'
import { sine, wavOf } from '../../tests/rig/tone.ts'
import { floodRegister } from './register-flood.ts'
import type { WayName, WorstOrder, WorstResult } from './ways.ts'

// A process of its own: it does one account's worst until it is stopped, then reports how much that was.

const connections = 8
const callsPerSecond = 10
const streams = 200
const uploads = 4
const largestBody = 63 * 1024
const assetSeconds = 19 * 65

// Who measures the calls of the other account comes first.
setPriority(19)

let isOver = false
let done = 0
const answers: Record<string, number> = {}
const count = (answer: string | number): void => {
  done++
  answers[answer] = (answers[answer] ?? 0) + 1
}

process.once('message', (order: WorstOrder) => {
  const work = doWorst(order)
  process.once('message', () => {
    isOver = true
    void Promise.race([work, sleep(2000)]).then(() => {
      process.send?.({ done, answers } satisfies WorstResult)
      process.disconnect?.()
      process.exit(0)
    })
  })
})
process.on('disconnect', () => process.exit(0))

const doWorst = (order: WorstOrder): Promise<void> => worst[order.way](order)

const json = { 'content-type': 'application/json' }

async function ask(
  { baseUrl }: WorstOrder,
  method: string,
  path: string,
  key: string,
  body?: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = json,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : headers) },
      ...(body === undefined ? {} : { body }),
    })
    const text = await answer.text()
    count(answer.status)
    return text.startsWith('{') ? JSON.parse(text) : undefined
  } catch (fault) {
    count(fault instanceof Error ? fault.name : 'error')
    await sleep(10)
    return undefined
  }
}

/** So many side by side, each one request after the other. */
async function sideBySide(width: number, one: (at: number) => Promise<unknown>): Promise<void> {
  await Promise.all(
    Array.from({ length: width }, async (_, line) => {
      for (let at = line; !isOver; at += width) await one(at)
    }),
  )
}

/** Calls to the account's number, whose documents come from `reply`. */
async function calls(
  order: WorstOrder,
  urlOf: (customer: Customer) => string,
  status?: (customer: Customer) => string,
) {
  const customer = await Customer.open()
  const webhook = (purpose: string, url: string) =>
    ask(order, 'POST', '/account/webhooks', order.key, JSON.stringify({ purpose, url }))
  await webhook('voice_inbound', urlOf(customer))
  if (status !== undefined) await webhook('status', status(customer))
  const probe = await SipProbe.open(order.sipPort)
  while (!isOver) {
    void probe.invite(order.number).then(({ status: final }) => count(final))
    await sleep(1000 / callsPerSecond)
  }
}

function reject(response: ServerResponse, more = ''): void {
  response.writeHead(200, { 'content-type': 'application/xml' }).end(`<Response><Reject/>${more}</Response>`)
}

const worst: Record<WayName, (order: WorstOrder) => Promise<void>> = {
  lists: order =>
    sideBySide(connections, at => ask(order, 'GET', `/calls/?search=${99_900 + (at % 100)}&limit=200`, order.key)),

  pages: order =>
    sideBySide(connections, at => ask(order, 'GET', `/calls/?limit=200&offset=${(at % 400) * 200}`, order.key)),

  bodies: order => {
    const customPayload = Object.fromEntries(Array.from({ length: largestBody / 12 }, (_, at) => [`k${at}`, at % 10]))
    const body = JSON.stringify({ to: '+255700000001', from: order.number, url: `${order.baseUrl}/x`, customPayload })
    return sideBySide(connections, () =>
      ask(order, 'POST', '/calls/originate', order.key, body.slice(0, largestBody).padEnd(largestBody, ' ')),
    )
  },

  documents: order => {
    const body = JSON.stringify({
      name: 'd',
      body: `<Response>${'<Say>a</Say>'.repeat(80)}${' '.repeat(60_000)}</Response>`,
    })
    return sideBySide(connections, async () => {
      const made = await ask(order, 'POST', '/documents/', order.key, body)
      if (made?.uuid !== undefined) await ask(order, 'DELETE', `/documents/${made.uuid}`, order.key)
    })
  },

  huge: order => {
    const more = `<Say>${'a b c &amp; d '.repeat(30)}</Say>`.repeat(90).padEnd(63_000, ' ')
    return calls(order, customer => customer.on('/huge', (_post, response) => reject(response, more)))
  },

  slow: order =>
    calls(order, customer =>
      customer.on('/slow', (_post, response) => {
        response.writeHead(200, { 'content-type': 'application/xml' })
        const drip = setInterval(() => response.write(' '), 200)
        response.on('close', () => clearInterval(drip))
      }),
    ),

  streams: async order => {
    const token = (await ask(order, 'POST', '/stream/token', order.key))?.token
    const url = `${order.baseUrl.replace('http', 'ws')}/stream?token=${token}&after=0`
    await sideBySide(
      streams,
      () =>
        new Promise<void>(resolve => {
          const stream = new WebSocket(url)
          const over = setTimeout(() => stream.terminate(), 500)
          stream.once('open', () => count('open'))
          stream.once('error', () => count('refused'))
          stream.once('close', () => {
            clearTimeout(over)
            resolve()
          })
        }),
    )
  },

  uploads: order => {
    const wav = new Uint8Array(wavOf(sine(440, assetSeconds)))
    return sideBySide(uploads, at =>
      ask(order, 'PUT', `/assets/large-${at % uploads}`, order.key, wav, { 'content-type': 'audio/wav' }),
    )
  },

  webhooks: order =>
    calls(
      order,
      customer => customer.on('/now', (_post, response) => reject(response)),
      customer => customer.on('/never', () => {}),
    ),

  names: order =>
    calls(
      order,
      () => 'http://nobody.hangs.test/voice',
      () => 'http://nobody.hangs.test/status',
    ),

  digests: order => floodRegister(order, () => isOver, count),

  keys: order => sideBySide(connections, at => ask(order, 'GET', '/calls/?limit=1', `sk_${'0'.repeat(40)}${at}`)),

  decks: order => {
    const rates = Array.from({ length: 12_000 }, (_, at) => ({
      prefix: `+9${at}`,
      direction: 'outbound',
      rate_per_minute: '3.25',
      increment_seconds: 60,
    }))
    const known = [
      { prefix: '+254', direction: 'outbound', rate_per_minute: '3' },
      { prefix: '+255', direction: 'outbound', rate_per_minute: '12' },
    ]
    const body = JSON.stringify({ rates: [...known, ...rates] })
    return sideBySide(1, () => ask(order, 'PUT', '/operator/rates', order.operatorKey, body))
  },
}
