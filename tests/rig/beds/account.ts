import { wavOf } from '../probes/tone.ts'
import type { Answer, SwitchProcess } from './switch-process.ts'

/** An account with money, one owned number, a rate deck and trunks, made through the operator's API. */
export class BedAccount {
  readonly key: string
  readonly uuid: string
  readonly number: string
  readonly numberUuid: string
  readonly #switch: SwitchProcess

  private constructor(on: SwitchProcess, made: { key: string; uuid: string; number: string; numberUuid: string }) {
    this.#switch = on
    this.key = made.key
    this.uuid = made.uuid
    this.number = made.number
    this.numberUuid = made.numberUuid
  }

  static async make(on: SwitchProcess, options: { number?: string; balance?: string } = {}): Promise<BedAccount> {
    const number = options.number ?? `+2547${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`
    const account = expectStatus(
      await on.operator('POST', '/accounts', { name: 'Rig', wallet_balance: options.balance ?? '1000' }),
      201,
    )
    const key = account.body.key as string
    const pool = expectStatus(await on.operator('POST', '/numbers', { number }), 201)
    const owned = expectStatus(await on.request(key, 'POST', '/numbers/acquire', { uuid: pool.body.uuid }), 200)
    return new BedAccount(on, { key, uuid: account.body.account.uuid, number, numberUuid: owned.body.uuid })
  }

  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.#switch.request(this.key, method, path, body, headers)
  }

  async webhook(purpose: 'voice_inbound' | 'voice_outbound' | 'status', url: string): Promise<void> {
    expectStatus(await this.api('POST', '/account/webhooks', { purpose, url }), 200)
  }

  /** Address of a document that the switch hosts. */
  async document(verbs: string): Promise<string> {
    const order = { name: 'd', body: `<Response>${verbs}</Response>` }
    return expectStatus(await this.api('POST', '/documents/', order), 201).body.url
  }

  /** Calls of that kind run a document that the switch hosts. */
  async hosts(purpose: 'voice_inbound' | 'voice_outbound', verbs: string): Promise<void> {
    await this.webhook(purpose, await this.document(verbs))
  }

  /** Uploads an asset: samples at 8 kHz. */
  async asset(slug: string, samples: Int16Array): Promise<void> {
    const audio = { 'content-type': 'audio/wav' }
    expectStatus(await this.api('PUT', `/assets/${slug}`, wavOf(samples), audio), 201)
  }

  async secret(): Promise<string> {
    return expectStatus(await this.api('GET', '/account/webhooks/secret'), 200).body.signing_secret
  }

  async call(sidOrNewest?: string): Promise<Answer['body']> {
    const list = expectStatus(await this.api('GET', '/calls/?limit=200'), 200).body.calls
    return sidOrNewest === undefined ? list[0] : list.find((call: { sid: string }) => call.sid === sidOrNewest)
  }
}

export const rates = [
  { prefix: '+254', direction: 'outbound', rate_per_minute: '3', increment_seconds: 1 },
  { prefix: '+255', direction: 'outbound', rate_per_minute: '12', increment_seconds: 60, connection_fee: '1.50' },
  { prefix: '+256', direction: 'outbound', rate_per_minute: '12' },
]

/** Inbound from 127.0.0.1, and outbound by prefix to a peer on 127.0.0.1:`port`. */
export async function addTrunk(
  on: SwitchProcess,
  trunk: {
    name: string
    port: number
    prefixes: readonly string[]
    transport?: 'udp' | 'tcp'
    inbound?: boolean
  } & Record<string, unknown>,
): Promise<string> {
  const { inbound = true, ...fields } = trunk
  const answer = await on.operator('POST', '/trunks', {
    host: '127.0.0.1',
    transport: 'udp',
    ...fields,
    inbound_hosts: inbound ? ['127.0.0.1'] : [],
  })
  return expectStatus(answer, 201).body.uuid
}

export async function setRates(on: SwitchProcess): Promise<void> {
  expectStatus(await on.operator('PUT', '/rates', { rates }), 200)
}

export function expectStatus(answer: Answer, status: number): Answer {
  if (answer.status !== status)
    throw new Error(`expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body).slice(0, 500)}`)
  return answer
}
