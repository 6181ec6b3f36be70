import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { inputs } from '../fixtures/inputs.ts'
import { BedAccount, expectStatus } from '../rig/beds/account.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { SwitchProcess } from '../rig/beds/switch-process.ts'
import { BrowserPhone, makeUser, mint, type PhoneUser } from '../rig/peers/browser-phone.ts'
import { Customer } from '../rig/peers/customer.ts'
import { clientHello, type JunkOrder, type JunkReport } from '../rig/peers/junk-sender.ts'
import type { UpgradeJunkOrder, UpgradeJunkReport } from '../rig/peers/upgrade-junk.ts'
import type { WebrtcClient } from '../rig/peers/webrtc-client.ts'
import { WebrtcLines } from '../rig/peers/webrtc-lines.ts'
import { type PhoneCall, WsPhone } from '../rig/peers/ws-phone.ts'
import { sine } from '../rig/probes/tone.ts'
import { sleep, until } from '../rig/probes/wait.ts'

// A thousand junk ClientHellos a second and hostile datagrams at the port that all browsers share, while twenty calls
// set up and two talk.
const attack = suite('attack on the browsers’ port')

const setups = 20
const sets = ['media-attacks', 'rtp-seeds', 'rtcp-seeds', 'stun-seeds', 'dtls-seeds', 'stray-seeds'] as const
let on: SwitchProcess
let account: BedAccount
let customer: Customer
let lines: WebrtcLines

attack.before(async () => {
  on = await SwitchProcess.start({ SAUTI_LOG: 'info' })
  customer = await Customer.open()
  account = await BedAccount.make(on)
  expectStatus(
    await on.operator('PATCH', `/accounts/${account.uuid}`, { max_calls_per_second: 200, max_concurrent_calls: 100 }),
    200,
  )
  await account.asset('tone', sine(440, 2))
  customer.on('/out', ({ body }, response) => {
    const verb = body.To === '1' ? '<Play asset="tone" loop="0"/>' : `<Dial><Number>${body.To}</Number></Dial>`
    response.end(`<Response>${verb}</Response>`)
  })
  await account.webhook('voice_outbound', customer.url('/out'))
  lines = new WebrtcLines()
})

attack.after(async () => {
  lines?.stop()
  await customer?.close()
  await on?.close()
})

const settingUp: WebrtcClient[] = []
const phoneOf = async (user: PhoneUser): Promise<WsPhone> => {
  const { token } = await mint(account, user)
  return WsPhone.open(`${on.baseUrl.replace('http', 'ws')}/sip`, { extension: user.extension, token })
}

interface Talk {
  readonly client: WebrtcClient
  readonly call: PhoneCall
  readonly phone: WsPhone
}

const sdpOf = (body: Uint8Array | string): string => (typeof body === 'string' ? body : Buffer.from(body).toString())

/** Calls and is answered; `connected` when there are keys. */
async function place(phone: WsPhone, to: string): Promise<Talk> {
  const client = await lines.open()
  settingUp.push(client)
  const { call, final } = await phone.ask('INVITE', { to, sdp: client.offer() })
  assert.is(final.status, 200, `${final.status} ${final.reason}`)
  call.acknowledge()
  client.accept(sdpOf(final.body))
  return { client, call, phone }
}

const connected = (client: WebrtcClient) =>
  until('a handshake', () => client.isConnected, 10_000).catch(fault => {
    throw new Error(`${fault}: ${client.state}`)
  })

/** Counts numbered packets from one client to another. */
class Conversation {
  said = 0
  readonly received = new Set<number>()
  readonly #from: WebrtcClient
  #next = 0

  constructor(from: WebrtcClient, to: WebrtcClient) {
    this.#from = from
    to.onRtp = (packet, length) => {
      if (length === 172 && packet[171] === 0x55)
        this.received.add(new DataView(packet.buffer, packet.byteOffset + 12).getUint32(0))
    }
  }

  tick(now: number): void {
    if (now < this.#next) return
    this.#next = Math.max(this.#next + 20, now - 20)
    const payload = new Uint8Array(160).fill(0x55)
    new DataView(payload.buffer).setUint32(0, this.said)
    if (this.#from.say(payload)) this.said++
  }

  get lost(): number {
    return this.said - this.received.size
  }
}

const residentMegabytes = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${on.pid}/status`, 'utf8'))?.[1]) / 1024

async function counted(what: string): Promise<number> {
  const text = String((await on.request(on.operatorKey, 'GET', '/metrics')).body)
  return Number(new RegExp(`^sauti_webrtc_total\\{what="${what}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0)
}

async function openConnections(): Promise<number> {
  const text = String((await on.request(on.operatorKey, 'GET', '/metrics')).body)
  return Number(/^sauti_sip_open\{what="connections"\} (\d+)/m.exec(text)?.[1])
}

async function talking(): Promise<readonly [Talk, WebrtcClient, WsPhone]> {
  const [near, far] = [await makeUser(account, 'Near'), await makeUser(account, 'Far')]
  const called = await phoneOf(far)
  await called.register()
  const placing = place(await phoneOf(near), far.extension)
  const invite = await called.incoming()
  const client = await lines.open()
  called.answer(invite, 200, { sdp: client.answer(sdpOf(invite.body)) })
  const talk = await placing
  await Promise.all([connected(talk.client), connected(client)])
  return [talk, client, called]
}

const messages = (['rfc4475', 'sip-seeds'] as const).flatMap(inputs).map(({ bytes }) => bytes.subarray(0, 4000))
const datagrams = sets.flatMap(inputs).map(({ bytes }) => bytes.subarray(0, 1400))

attack('20 of 20 set up, live calls lose nothing, all of it is counted, memory stays', async () => {
  const [talk, far] = await talking()
  const [there, back] = [new Conversation(talk.client, far), new Conversation(far, talk.client)]
  const users: PhoneUser[] = []
  for (let i = 0; i < setups; i++) users.push(await makeUser(account, `Caller ${i}`))
  const phones = await Promise.all(users.map(phoneOf))
  const before = residentMegabytes()
  const junk = new Worker(new URL('../rig/peers/junk-sender.ts', import.meta.url), {
    workerData: {
      port: talk.client.farPort,
      hellosPerSecond: 1000,
      datagramsPerSecond: 1000,
      datagrams,
    } satisfies JunkOrder,
  })
  let forged = 0
  lines.onTick = now => {
    there.tick(now)
    back.tick(now)
    // As an attacker would who forges the addresses of a live call.
    const bytes = forged % 3 === 0 ? datagrams[forged % datagrams.length] : clientHello(forged % 2 === 0 ? 0 : 20)
    talk.client.sendRaw(bytes ?? clientHello(0))
    far.sendRaw(clientHello(forged % 2 === 0 ? 0 : 20))
    for (let i = 0; i < 5; i++) settingUp[(forged * 5 + i) % settingUp.length]?.sendRaw(clientHello(0))
    forged++
  }
  await sleep(1000)
  const outcomes = await Promise.allSettled(
    phones.map(async phone => {
      const made = await place(phone, '1')
      await connected(made.client)
      let received = 0
      made.client.onRtp = () => received++
      await until('half a second of the prompt', () => received >= 25)
      return made
    }),
  )
  await sleep(2000)
  junk.postMessage('stop')
  const [reported] = (await once(junk, 'message')) as [JunkReport]
  lines.onTick = () => {}
  await sleep(200)
  assert.equal(
    outcomes
      .filter(({ status }) => status === 'rejected')
      .map(outcome => String((outcome as PromiseRejectedResult).reason)),
    [],
  )
  assert.ok(there.said > 150 && back.said > 150, `${there.said} ${back.said}`)
  assert.equal([there.lost, back.lost], [0, 0], `of ${there.said} and ${back.said}`)
  assert.is(reported.answers, 0, 'nothing was answered')
  assert.ok(reported.hellos > 3000, String(reported.hellos))
  const ignored = (await counted('stray_dropped')) + (await counted('ice_dropped'))
  assert.ok(ignored >= reported.hellos + reported.datagrams, `${ignored} of ${reported.hellos + reported.datagrams}`)
  assert.is(await counted('dtls_failed'), 0)
  assert.is(await counted('dtls_connected'), setups + 2)
  assert.ok(residentMegabytes() - before < 60, `${before} MB before, ${residentMegabytes()} MB after`)
  for (const outcome of outcomes)
    if (outcome.status === 'fulfilled') assert.is((await outcome.value.call.bye()).status, 200)
  assert.equal(
    on.log.filter(line => line.includes('"level":"error"')),
    [],
  )
})

attack(
  'two hundred bad WebSockets a second: phones register and call as if nothing were, and memory stays',
  async () => {
    const user = await makeUser(account, 'Unmoved')
    const steady = await phoneOf(user)
    assert.is((await steady.register()).status, 200)
    await sleep(300)
    const before = residentMegabytes()
    const junk = new Worker(new URL('../rig/peers/upgrade-junk.ts', import.meta.url), {
      workerData: { port: on.httpPort, perSecond: 200, messages } satisfies UpgradeJunkOrder,
    })
    const slowest: number[] = []
    for (let i = 0; i < 20; i++) {
      const began = performance.now()
      const phone = await phoneOf(await makeUser(account, `Newcomer ${i}`))
      assert.is((await phone.register()).status, 200)
      assert.is((await steady.register()).status, 200)
      slowest.push(performance.now() - began)
      phone.close()
      await sleep(100)
    }
    const made = await place(steady, '1')
    await connected(made.client)
    assert.is((await made.call.bye()).status, 200)
    junk.postMessage('stop')
    const [reported] = (await once(junk, 'message')) as [UpgradeJunkReport]
    assert.ok(reported.opened > 300 && reported.upgraded > 100, JSON.stringify(reported))
    assert.ok(Math.max(...slowest) < 2000, slowest.map(Math.round).join())
    await until('all of it to be gone', async () => (await openConnections()) <= 30)
    assert.ok(residentMegabytes() - before < 80, `${before} MB before, ${residentMegabytes()} MB after`)
    assert.is(steady.closed, undefined)
    assert.equal(
      on.log.filter(line => line.includes('"level":"error"')),
      [],
    )
  },
)

attack('Chromium, asked for its cookie, sets up all the same', async () => {
  requirePeers('chromium')
  const phone = await BrowserPhone.launch(on.baseUrl, 600)
  const user = await makeUser(account, 'Chromium')
  assert.is(await phone.signIn(await mint(account, user)), 'registered')
  const [talk] = await talking()
  const junk = new Worker(new URL('../rig/peers/junk-sender.ts', import.meta.url), {
    workerData: { port: talk.client.farPort, hellosPerSecond: 1000, datagramsPerSecond: 0, datagrams: [] },
  })
  await sleep(300)
  const call = await phone.dial('1')
  await phone.state(call, 'accepted')
  await phone.until('the tone', async () => (await phone.hear(call, 300, [440])).shares[0]! > 0.7)
  junk.postMessage('stop')
  await once(junk, 'message')
  await phone.close()
})

attack.run()
