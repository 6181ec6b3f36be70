import { addTrunk, BedAccount, expectStatus } from '../../tests/rig/beds/account.ts'
import type { SwitchProcess } from '../../tests/rig/beds/switch-process.ts'
import { makeUser, mint, type PhoneUser } from '../../tests/rig/peers/browser-phone.ts'
import type { Customer } from '../../tests/rig/peers/customer.ts'
import { Sipp, type SippOptions } from '../../tests/rig/peers/sipp.ts'
import { plainSdp, WsPhone } from '../../tests/rig/peers/ws-phone.ts'
import { freePort } from '../../tests/rig/probes/ports.ts'
import { sine } from '../../tests/rig/probes/tone.ts'

const srtpCaller = new URL('./caller-srtp', import.meta.url).pathname

/** A kind of call: who calls, what answers, and its share of all calls. */
interface Kind {
  readonly share: number
  readonly document: string
  readonly caller?: Partial<SippOptions>
  /** The document comes from the customer's server, which fails every second time. */
  readonly fails?: boolean
}

const busy = '+255700000002'
const silent = '+255700000003'
const answering = '+255700000001'

const kinds: readonly Kind[] = [
  { share: 6, document: '<Play asset="tone"/><Pause length="10"/>' },
  { share: 4, document: '<Say>Good morning. The office is closed.</Say>' },
  { share: 4, document: '<Record timeout="0" playBeep="false" maxLength="2"/>' },
  {
    share: 4,
    document: '<Gather numDigits="1" timeout="1"><Play asset="tone"/></Gather><Hangup/>',
    caller: { scenario: 'caller' },
  },
  { share: 5, document: `<Dial record="record-from-answer-dual"><Number>${answering}</Number></Dial>` },
  { share: 4, document: `<Dial><Number>${busy}</Number></Dial>`, caller: { scenario: 'caller-unavailable' } },
  { share: 3, document: `<Dial sequential="true"><Number>${busy}</Number><Number>${answering}</Number></Dial>` },
  {
    share: 4,
    document: `<Dial timeout="30"><Number>${silent}</Number></Dial>`,
    caller: { scenario: 'caller-cancels' },
  },
  { share: 4, document: '<Dial><Conference>hall</Conference></Dial>' },
  { share: 3, document: '<RecordSession state="start" format="ogg"/><Play asset="tone" loop="0"/>' },
  { share: 3, document: '<Play asset="tone" loop="0"/>', caller: { transport: 'tcp' } },
  { share: 2, document: '<Play asset="tone" loop="0"/>', caller: { scenario: srtpCaller } },
  { share: 2, document: '<Play asset="tone" loop="0"/>', fails: true },
]

const talkMs = 1500
const phonesAtOnce = 8
const signInEveryMs = 20 * 60_000

/** All callers and callees of the soak, and what counts them. */
export class Callers {
  readonly #on: SwitchProcess
  readonly #account: BedAccount
  readonly #busy: BedAccount[]
  readonly #sipps: Sipp[] = []
  readonly #stops: (() => void)[] = []
  readonly #users: PhoneUser[] = []
  readonly #open = new Set<WsPhone>()
  #isStopped = false
  placed = 0
  refused = 0

  private constructor(on: SwitchProcess, account: BedAccount, busy: BedAccount[]) {
    this.#on = on
    this.#account = account
    this.#busy = busy
  }

  static async open(on: SwitchProcess, customer: Customer): Promise<Callers> {
    const caps = {
      max_concurrent_calls: 100_000,
      max_inbound_calls: 100_000,
      max_dialled_legs: 100_000,
      max_calls_per_second: 1000,
    }
    const accounts: BedAccount[] = []
    let fetched = 0
    for (const [at, kind] of kinds.entries()) {
      const account = await BedAccount.make(on, { balance: '1000000' })
      accounts.push(account)
      expectStatus(await on.operator('PATCH', `/accounts/${account.uuid}`, caps), 200)
      await account.asset('tone', sine(440, 1))
      await account.webhook(
        'status',
        customer.on('/status', (_post, response) => response.writeHead(200).end()),
      )
      if (kind.fails !== true) await account.hosts('voice_inbound', kind.document)
      else {
        const url = customer.on(`/document-${at}`, (_post, response) => {
          if (fetched++ % 2 === 0) response.writeHead(500).end()
          else
            response.writeHead(200, { 'content-type': 'application/xml' }).end(`<Response>${kind.document}</Response>`)
        })
        await account.webhook('voice_inbound', url)
      }
      await account.hosts('voice_outbound', '<Play asset="tone"/>')
    }
    const callers = new Callers(on, accounts[0]!, accounts)
    await callers.#carriers()
    return callers
  }

  /** Calls for a time, `perSecond` in all. */
  async start(perSecond: number, seconds: number): Promise<void> {
    const shares = kinds.reduce((sum, { share }) => sum + share, 0) + phoneShare + placedShare
    const rateOf = (share: number) => (perSecond * share) / shares
    for (const [at, kind] of kinds.entries()) {
      const rate = Math.max(1, Math.round(rateOf(kind.share)))
      this.#sipps.push(
        new Sipp({
          scenario: 'caller-hangs-up',
          remote: `127.0.0.1:${this.#on.sipPort}`,
          localPort: await freePort(),
          rtpPort: 9,
          service: this.#busy[at]!.number,
          from: '+254722000111',
          callsPerSecond: rate,
          calls: rate * seconds,
          pauseMs: talkMs,
          timeoutSeconds: seconds + 30,
          trace: false,
          ...kind.caller,
        }),
      )
    }
    this.#every(1000 / rateOf(placedShare), () => void this.#place())
    await this.#phones(rateOf(phoneShare))
  }

  /** True: all generators were done. One that is behind is ended: what it leaves silent, the switch ends after a minute. */
  async stop(): Promise<boolean> {
    for (const stop of this.#stops.splice(0)) stop()
    const patience = new Promise<boolean>(resolve => setTimeout(() => resolve(false), 15_000).unref())
    const done = Promise.all(this.#sipps.map(sipp => sipp.done)).then(() => true)
    const isDone = await Promise.race([done, patience])
    for (const sipp of this.#sipps) sipp.stop()
    return isDone
  }

  close(): void {
    for (const stop of this.#stops.splice(0)) stop()
    for (const sipp of this.#sipps) sipp.stop()
    for (const carrier of this.#carriersUp) carrier.stop()
  }

  readonly #carriersUp: Sipp[] = []

  async #carriers(): Promise<void> {
    for (const [name, scenario, prefix] of [
      ['answers', 'callee', answering],
      ['busy', 'callee-busy', busy],
      ['rings on', 'callee-rings-on', silent],
    ] as const) {
      const port = await freePort()
      await addTrunk(this.#on, { name, port, prefixes: [prefix], srtp: 'optional' })
      const callee = new Sipp({
        scenario,
        localPort: port,
        rtpPort: 9,
        calls: 10_000_000,
        timeoutSeconds: 100_000,
        trace: false,
      })
      await callee.listening()
      this.#carriersUp.push(callee)
    }
  }

  async #place(): Promise<void> {
    const order = { to: answering, from: this.#account.number, url: await this.#script() }
    const { status, body } = await this.#account.api('POST', '/calls/originate', order)
    if (status !== 201) {
      this.refused++
      return
    }
    this.placed++
    setTimeout(() => void this.#account.api('POST', '/calls/hangup', { sid: body.sid }).catch(() => {}), talkMs)
  }

  #scriptUrl: Promise<string> | undefined
  #script(): Promise<string> {
    this.#scriptUrl ??= this.#account.document('<Play asset="tone" loop="0"/>')
    return this.#scriptUrl
  }

  /** Softphones over WebSocket, each calling in its turn; they sign in again with new tokens long before the old ones end. */
  async #phones(perSecond: number): Promise<void> {
    this.#isStopped = false
    let phones = await this.#signedIn()
    let next = 0
    this.#every(1000 / perSecond, () => void talk(phones[next++ % phones.length]!).catch(() => {}))
    this.#every(signInEveryMs, async () => {
      const before = phones
      phones = await this.#signedIn()
      for (const phone of before) setTimeout(() => phone.socket.close(), 2 * talkMs)
    })
    this.#stops.push(() => {
      this.#isStopped = true
      for (const phone of this.#open) phone.socket.close()
      this.#open.clear()
    })
  }

  async #signedIn(): Promise<WsPhone[]> {
    const url = `ws://127.0.0.1:${this.#on.httpPort}/sip`
    const phones: WsPhone[] = []
    for (let at = 0; at < phonesAtOnce; at++) {
      const user = this.#users[at] ?? (await makeUser(this.#account, `Soak ${at}`))
      this.#users[at] = user
      const { token } = await mint(this.#account, user)
      const phone = await WsPhone.open(url, { extension: user.extension, token })
      this.#open.add(phone)
      phone.socket.once('close', () => this.#open.delete(phone))
      await phone.register(3000)
      // The end may come in the middle of a sign-in.
      if (this.#isStopped) phone.socket.close()
      phones.push(phone)
    }
    return phones
  }

  #every(ms: number, act: () => void): void {
    const timer = setInterval(act, ms)
    this.#stops.push(() => clearInterval(timer))
  }
}

const phoneShare = 1
const placedShare = 3

async function talk(phone: WsPhone): Promise<void> {
  const { call, final } = await phone.ask('INVITE', { to: '1234', sdp: plainSdp(9) })
  if (final.status !== 200) return
  call.acknowledge()
  await new Promise(resolve => setTimeout(resolve, talkMs))
  await call.bye()
  phone.received.length = 0
}
