import { WebSocket } from 'ws'
import { callContext } from '../../../core/document-builder/call-handler.ts'
import { headerOf, type SipRequest } from '../../../sip/index.ts'
import { addTrunk, BedAccount, expectStatus } from '../beds/account.ts'
import type { SwitchProcess } from '../beds/switch-process.ts'
import { keyed } from '../fakes/simulated-course.ts'
import type { ToneVoices } from '../fakes/tone-voices.ts'
import { Customer } from '../peers/customer.ts'
import { RtpEndpoint } from '../peers/rtp-endpoint.ts'
import { mediaPortSeen, Sipp } from '../peers/sipp.ts'
import { plainSdp, WsPhone } from '../peers/ws-phone.ts'
import type { Course } from './course.ts'
import type { Callee, Party, Scenario } from './example-scenarios.ts'
import { decodePcmu, encodePcmu } from './g711.ts'
import { freePort } from './ports.ts'
import { sleep, until } from './wait.ts'

const callLimitMs = 50_000
const voiceSeconds = 0.5

/** One party's audio: what it got, and its voice. */
interface Line {
  readonly rtp: RtpEndpoint
  /** Resolves when the party's part in signalling is over. */
  readonly over: Promise<unknown>
}

/** A scenario between real peers: the carrier's side by sipp, phones by TCP, on an account of its own. */
export class RealCourse {
  readonly account: BedAccount
  readonly extensions: string[] = []
  readonly #scenario: Scenario
  readonly #on: SwitchProcess
  readonly #voices: ToneVoices
  readonly #customer: Customer
  readonly #phones = new Map<string, WsPhone>()
  readonly #trunkPorts = new Map<string, number>()
  readonly #speaking: Promise<void>[] = []
  #isOver = false

  private constructor(
    on: SwitchProcess,
    voices: ToneVoices,
    scenario: Scenario,
    made: { account: BedAccount; customer: Customer },
  ) {
    this.#on = on
    this.#voices = voices
    this.#scenario = scenario
    this.account = made.account
    this.#customer = made.customer
  }

  static async prepare(on: SwitchProcess, voices: ToneVoices, scenario: Scenario, number: string): Promise<RealCourse> {
    const account = await BedAccount.make(on, { number })
    const course = new RealCourse(on, voices, scenario, { account, customer: await Customer.open() })
    await course.#setUp()
    return course
  }

  async #setUp(): Promise<void> {
    const { assets = [], users = [], callees = {} } = this.#scenario
    for (const slug of assets)
      await this.account.asset(slug, this.#voices.voice(`play ${slug} until it is stopped`, voiceSeconds))
    for (const called of Object.keys(callees)) {
      const port = await freePort()
      this.#trunkPorts.set(called, port)
      await addTrunk(this.#on, { name: `to ${called}`, port, prefixes: [called], inbound: false })
    }
    for (const { email } of users) {
      const order = { email, display_name: email }
      const { body } = expectStatus(await this.account.api('POST', '/users/create', order), 201)
      this.extensions.push(body.extension_number)
      const token = expectStatus(await this.account.api('POST', '/phone-tokens/mint', { uuid: body.uuid }), 200).body
      this.#phones.set(
        body.extension_number,
        await WsPhone.open(`tcp://127.0.0.1:${this.#on.sipPort}`, {
          extension: body.extension_number,
          token: token.token,
          by: 'digest',
        }),
      )
    }
    for (const path of [
      '/',
      '/agent',
      '/chosen',
      '/desk',
      '/message',
      '/mobile',
      '/office',
      '/reply',
      '/consent',
      '/extension',
      '/dialled',
    ])
      this.#customer.on(path, async (post, response) => {
        const answer = await this.#scenario.documents(callContext(this.#customer.url(post.url), post.body))
        if (answer === undefined) response.writeHead(404).end()
        else response.writeHead(200, { 'content-type': 'application/xml' }).end(String(answer))
      })
    this.#customer.on('/status', (_post, response) => response.writeHead(200).end())
    for (const purpose of ['voice_inbound', 'voice_outbound'] as const)
      await this.account.webhook(purpose, this.#customer.url('/'))
    await this.account.webhook('status', this.#customer.url('/status'))
  }

  /** Plays it, and gives what happened. */
  async play(): Promise<Course> {
    const { callees = {}, users = [], parties } = this.#scenario
    const byApi = new Set(parties.flatMap(({ start }) => (start.by === 'api' ? [start.to] : [])))
    for (const [called, callee] of Object.entries(callees))
      if (!byApi.has(called)) this.#speak(await this.#callee(called, callee), `talk with ${called}`)
    for (const [at, { phone }] of users.entries()) {
      const isCaller = parties.some(({ start }) => start.by === 'phone' && start.user === at)
      if (phone === null) continue
      await this.#phoneAt(at).register()
      if (!isCaller) void this.#answerAt(at, phone)
    }
    const lines: Line[] = []
    for (const party of parties) {
      const line = await this.#begin(party)
      lines.push(line)
      if (party.voice !== undefined) this.#speak(line, party.voice)
      await this.#takeTurns(party, line.rtp)
    }
    await Promise.all(lines.map(({ over }) => over))
    const course = await this.#result(lines)
    this.#isOver = true
    await Promise.all(this.#speaking)
    return course
  }

  async close(): Promise<void> {
    this.#isOver = true
    for (const phone of this.#phones.values()) phone.close()
    await this.#customer.close()
  }

  /** Codes and data of the status callbacks. */
  get callbacks(): readonly { readonly code: string; readonly data: unknown }[] {
    return this.#customer.to('/status').map(({ body }) => ({ code: body.code, data: body.data }))
  }

  async #begin({ start, hangsUpAfterMs }: Party): Promise<Line> {
    switch (start.by) {
      case 'caller': {
        const rtp = await RtpEndpoint.open()
        const sipp = new Sipp({
          scenario: hangsUpAfterMs === undefined ? 'caller' : 'caller-hangs-up',
          ...(hangsUpAfterMs === undefined ? {} : { pauseMs: hangsUpAfterMs }),
          remote: `127.0.0.1:${this.#on.sipPort}`,
          localPort: await freePort(),
          rtpPort: rtp.port,
          service: this.account.number,
          from: start.from,
          timeoutSeconds: callLimitMs / 1000,
        })
        void this.#aim(rtp, sipp, 'SIP/2.0 200')
        return { rtp, over: wentThrough(sipp, this.#scenario.name) }
      }
      case 'api': {
        const line = await this.#callee(start.to, this.#scenario.callees?.[start.to] ?? 'stays')
        const { to, path = '/', customPayload } = start
        const order = {
          to,
          from: this.account.number,
          url: this.#customer.url(path),
          ...(customPayload && { customPayload }),
        }
        expectStatus(await this.account.api('POST', '/calls/originate', order), 201)
        return line
      }
      case 'phone': {
        const phone = this.#phoneAt(start.user)
        const rtp = await RtpEndpoint.open()
        const { call, final } = await phone.ask('INVITE', { to: start.to, sdp: plainSdp(rtp.port) })
        if (final.status !== 200) throw new Error(`${this.#scenario.name}: the phone got ${final.status}`)
        call.acknowledge()
        rtp.aim(Number(/m=audio (\d+)/.exec(new TextDecoder().decode(final.body))?.[1]))
        const over = sleep(hangsUpAfterMs ?? callLimitMs).then(() => call.bye())
        return { rtp, over }
      }
    }
  }

  async #callee(called: string, callee: Callee): Promise<Line> {
    const rtp = await RtpEndpoint.open()
    const scenario =
      callee === 'busy'
        ? 'callee-rings-busy'
        : callee === 'rings'
          ? 'callee-rings-on'
          : callee === 'stays'
            ? 'callee'
            : 'callee-rings-hangs-up'
    const sipp = new Sipp({
      scenario,
      ...(typeof callee === 'object' ? { pauseMs: callee.hangsUpAfterMs } : {}),
      localPort: this.#trunkPorts.get(called) ?? 0,
      rtpPort: rtp.port,
      timeoutSeconds: callLimitMs / 1000,
    })
    await sipp.listening()
    if (callee === 'stays' || typeof callee === 'object') void this.#aim(rtp, sipp, 'INVITE ')
    return { rtp, over: wentThrough(sipp, `${this.#scenario.name} ${called}`) }
  }

  /** A phone that is called: it rings, answers, and hangs up or waits. */
  async #answerAt(user: number, callee: Callee): Promise<void> {
    const phone = this.#phoneAt(user)
    const invite = await phone.incoming(callLimitMs)
    const rtp = await RtpEndpoint.open()
    phone.answer(invite, 180)
    await sleep(700)
    phone.answer(invite, 200, { sdp: plainSdp(rtp.port) })
    rtp.aim(Number(/m=audio (\d+)/.exec(new TextDecoder().decode(invite.body))?.[1]))
    this.#speak({ rtp, over: Promise.resolve() }, `talk with ${this.extensions[user]}`)
    if (typeof callee !== 'object') return
    await sleep(callee.hangsUpAfterMs)
    hangUpCalled(phone, invite)
  }

  #phoneAt(user: number): WsPhone {
    const phone = this.#phones.get(this.extensions[user] ?? '')
    if (phone === undefined) throw new Error(`${this.#scenario.name}: there is no phone ${user}`)
    return phone
  }

  async #aim(rtp: RtpEndpoint, sipp: Sipp, startLine: string): Promise<void> {
    const port = await until(
      `audio port in ${startLine}`,
      () => this.#isOver || mediaPortSeen(sipp, startLine),
      callLimitMs,
    )
    if (typeof port === 'number') rtp.aim(port)
  }

  /** Speaks with that voice until all is over. */
  #speak({ rtp }: Line, line: string): void {
    const voice = encodePcmu(this.#voices.voice(line, voiceSeconds))
    const forever = async () => {
      while (!this.#isOver) {
        if (rtp.remotePort === undefined) await sleep(20)
        else await rtp.stream(voice)
      }
    }
    this.#speaking.push(forever().then(() => rtp.close()))
  }

  async #takeTurns({ turns = [] }: Party, rtp: RtpEndpoint): Promise<void> {
    let seen = 0
    for (const { hears, keys, speaksMs } of turns) {
      const find = () => this.#received(rtp).findIndex((line, at) => at >= seen && line.includes(hears))
      await until(`${this.#scenario.name} to hear "${hears}"`, () => find() !== -1, callLimitMs)
      seen = find() + 1
      if (speaksMs !== undefined) {
        // The tone that asks for speech is played whole first.
        await sleep(400)
        await rtp.stream(encodePcmu(this.#voices.voice('speech', speaksMs / 1000)))
      }
      for (const key of keys === undefined ? '' : keyed(keys, this.extensions)) {
        await rtp.digit('0123456789*#'.indexOf(key))
        await sleep(100)
      }
    }
  }

  #received(rtp: RtpEndpoint): readonly string[] {
    return this.#voices.read(decodePcmu(rtp.audio()))
  }

  async #result(lines: readonly Line[]): Promise<Course> {
    const calls = await until(
      'the records',
      async () => {
        const all = expectStatus(await this.account.api('GET', '/calls/?limit=50'), 200).body.calls
        return all.length >= this.#scenario.parties.length && all.every((call: any) => call.ended_at !== null) && all
      },
      20_000,
    )
    const posts = this.#customer.posts.filter(({ url }) => url !== '/status')
    return {
      received: lines.map(({ rtp }) => this.#received(rtp)),
      requests: posts.map(({ url, body }) => ({ path: url, fields: body })),
      events: await this.#events(),
      calls: calls.reverse(),
    }
  }

  /** All that the stream has, once it has been quiet for a second. */
  async #events(): Promise<Course['events']> {
    const { token } = expectStatus(await this.account.api('POST', '/stream/token'), 200).body
    const events: { code: string; data: Readonly<Record<string, unknown>> }[] = []
    const socket = new WebSocket(`${this.#on.baseUrl.replace('http', 'ws')}/stream?token=${token}&after=0`)
    let lastAt = Date.now()
    socket.on('message', message => {
      lastAt = Date.now()
      const { code, data } = JSON.parse(String(message))
      if (!code.startsWith('WH.')) events.push({ code, data })
    })
    await until('the stream to be quiet', () => events.length > 0 && Date.now() - lastAt > 1000, 15_000)
    socket.close()
    return events
  }
}

async function wentThrough(sipp: Sipp, who: string): Promise<void> {
  const { code, errors, messages } = await sipp.done
  if (code !== 0) throw new Error(`${who}: sipp ended with ${code}: ${errors.slice(0, 500)}\n${messages.slice(-1500)}`)
}

/** BYE in the dialog of an INVITE that the phone has answered. */
function hangUpCalled(phone: WsPhone, invite: SipRequest): void {
  const contact = /<([^>]+)>/.exec(headerOf(invite, 'Contact') ?? '')?.[1] ?? ''
  phone.sendText(
    [
      `BYE ${contact} SIP/2.0`,
      `Via: SIP/2.0/TCP ${phone.sentBy};branch=z9hG4bK${Math.random().toString(36).slice(2)}`,
      'Max-Forwards: 70',
      `From: ${headerOf(invite, 'To')};tag=callee`,
      `To: ${headerOf(invite, 'From')}`,
      `Call-ID: ${headerOf(invite, 'Call-ID')}`,
      'CSeq: 1 BYE',
      'Content-Length: 0',
      '',
      '',
    ].join('\r\n'),
  )
}
