import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Customer } from '../../tests/rig/peers/customer.ts'
import { SipProbe } from '../../tests/rig/probes/sip-probe.ts'
import type { WayName } from './ways.ts'
import type { Work } from './work.ts'

const callsPerSecond = 10
const dialledHosts = 10

interface Served {
  /** Of call-control requests: gives the address that is set for inbound calls. */
  readonly voice: (customer: Customer) => string
  /** Of status callbacks. */
  readonly status?: (customer: Customer) => string
}

async function callSource(work: Work, { voice, status }: Served): Promise<{ customer: Customer; probe: SipProbe }> {
  const customer = await Customer.open()
  const webhook = (purpose: string, url: string) =>
    work.ask('POST', '/account/webhooks', { body: JSON.stringify({ purpose, url }) })
  await webhook('voice_inbound', voice(customer))
  if (status !== undefined) await webhook('status', status(customer))
  return { customer, probe: await SipProbe.open(work.order.sipPort) }
}

/** What a final response means here: a document that rejects is what most of these calls get. */
const meanings: Readonly<Record<number, string>> = {
  200: 'answered',
  480: 'refused by a cap',
  603: 'rejected by its document',
}

/** Calls the account's number at this rate until it is stopped. */
async function calls(work: Work, served: Served): Promise<void> {
  const { customer, probe } = await callSource(work, served)
  let begun = 0
  let ended = 0
  while (!work.isOver) {
    begun++
    void probe.invite(work.order.number).then(({ status }) => {
      ended++
      work.count(meanings[status] ?? status)
    })
    await sleep(1000 / callsPerSecond)
  }
  work.note('calls that wait for their answer', begun - ended)
  work.note('webhook requests', customer.posts.length)
}

/** Some calls that end by themselves, before anything else is done. */
export async function answeredCalls(work: Work, count: number): Promise<void> {
  const { probe } = await callSource(work, {
    voice: customer => customer.on('/now', (_post, response) => send(response, '<Reject/>')),
  })
  for (let made = 0; made < count; made++) await probe.invite(work.order.number)
}

function send(response: ServerResponse, verbs: string): void {
  response.writeHead(200, { 'content-type': 'application/xml' }).end(`<Response>${verbs}</Response>`)
}

export const callWays = {
  huge: work => {
    const more = `<Say>${'a b c &amp; d '.repeat(30)}</Say>`.repeat(90).padEnd(63_000, ' ')
    return calls(work, {
      voice: customer => customer.on('/huge', (_post, response) => send(response, `<Reject/>${more}`)),
    })
  },

  slow: work =>
    calls(work, {
      voice: customer =>
        customer.on('/slow', (_post, response) => {
          response.writeHead(200, { 'content-type': 'application/xml' })
          const drip = setInterval(() => response.write(' '), 200)
          response.on('close', () => clearInterval(drip))
        }),
    }),

  webhooks: work =>
    calls(work, {
      voice: customer => customer.on('/now', (_post, response) => send(response, '<Reject/>')),
      status: customer => customer.on('/never', () => {}),
    }),

  names: work => {
    let call = 0
    return calls(work, {
      voice: customer =>
        customer.on('/now', (_post, response) =>
          send(response, `<Redirect>http://voice${++call}.hangs.test/voice</Redirect>`),
        ),
      status: () => 'http://status.hangs.test/status',
    })
  },

  sipNames: work => {
    let host = 0
    const target = () => `<Sip>sip:a@sip${++host}.hangs.test</Sip>`
    return calls(work, {
      voice: customer =>
        customer.on('/now', (_post, response) =>
          send(response, `<Dial>${Array.from({ length: dialledHosts }, target).join('')}</Dial>`),
        ),
    })
  },
} satisfies Partial<Record<WayName, (work: Work) => Promise<void>>>
