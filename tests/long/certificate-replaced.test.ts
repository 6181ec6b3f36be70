import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page, WebSocket } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { expectStatus } from '../rig/beds/account.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { outsideCaller, SwitchBed } from '../rig/beds/switch-bed.ts'
import { Baresip } from '../rig/peers/baresip.ts'
import { BrowserPhone, makeUser, mint } from '../rig/peers/browser-phone.ts'
import { RtpEndpoint } from '../rig/peers/rtp-endpoint.ts'
import type { Sipp } from '../rig/peers/sipp.ts'
import { decodePcmu, encodePcmu } from '../rig/probes/g711.ts'
import { ownAddress } from '../rig/probes/own-address.ts'
import { freePort } from '../rig/probes/ports.ts'
import { sine, toneShare } from '../rig/probes/tone.ts'
import { sleep, until } from '../rig/probes/wait.ts'

// A certificate is replaced while a page follows the events over HTTPS, a carrier's call over TLS has audio, and so has a
// browser's call over wss. New connections get the new certificate; none of the three is cut.
const replaced = suite('a certificate replaced under a page and two calls')

const [trunkHz, browserHz, remoteHz] = [600, 800, 1000]
const folder = mkdtempSync(join(tmpdir(), 'sauti-replaced-'))
const inFolder = (name: string) => join(folder, name)
const openssl = (...args: readonly string[]) => execFileSync('openssl', args, { encoding: 'utf8', stdio: 'pipe' })
const ports = { https: 0, tls: 0, wss: 0 }

let bed: SwitchBed
let carrier: Baresip
let phone: BrowserPhone
let portal: Page
const sockets: WebSocket[] = []

/** A leaf of the same authority, for localhost: file names of certificate and key, and its serial number. */
function makeLeaf(serial: number, days: number): { cert: string; key: string; serial: string } {
  const [cert, key, request] = ['pem', 'key', 'csr'].map(ending => inFolder(`leaf-${serial}.${ending}`)) as [
    string,
    string,
    string,
  ]
  const names = inFolder('names.cnf')
  writeFileSync(names, `subjectAltName=DNS:localhost,IP:127.0.0.1,IP:${ownAddress()}\n`)
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key]
  openssl('req', '-new', ...curve, '-subj', '/CN=localhost', '-out', request)
  const authority = ['-CA', inFolder('ca.pem'), '-CAkey', inFolder('ca.key'), '-set_serial', String(serial)]
  openssl('x509', '-req', '-in', request, ...authority, '-days', String(days), '-extfile', names, '-out', cert)
  return { cert, key, serial: serial.toString(16).toUpperCase() }
}

/** As certificate tools do it: beside, then renamed over the old file. */
function install({ cert, key }: { cert: string; key: string }): void {
  for (const [from, to] of [
    [cert, 'live.pem'],
    [key, 'live.key'],
  ] as const) {
    copyFileSync(from, inFolder('next'))
    renameSync(inFolder('next'), inFolder(to))
  }
}

/** Serial number of what OpenSSL is shown by a new connection, with the chain and the name verified. */
function shown(port: number): string {
  const trust = ['-CAfile', inFolder('ca.pem'), '-verify_hostname', 'localhost', '-verify_return_error']
  const target = ['s_client', '-connect', `127.0.0.1:${port}`, '-servername', 'localhost']
  const output = execFileSync('openssl', [...target, ...trust], { input: '', encoding: 'utf8', stdio: 'pipe' })
  assert.match(output, /Verify return code: 0 \(ok\)/)
  const certificate = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/.exec(output)?.[0] ?? ''
  writeFileSync(inFolder('shown.pem'), certificate)
  return openssl('x509', '-in', inFolder('shown.pem'), '-noout', '-serial').trim().replace('serial=', '')
}

/** A call's callee through a trunk: sends one tone, and reports which one it receives. */
class Remote {
  readonly rtp: RtpEndpoint
  readonly sipp: Sipp
  #sends = true

  constructor(rtp: RtpEndpoint, sipp: Sipp) {
    this.rtp = rtp
    this.sipp = sipp
  }

  /** Sends its tone until `close`. */
  async send(): Promise<void> {
    const second = encodePcmu(sine(remoteHz, 1))
    while (this.#sends) await this.rtp.stream(second)
  }

  /** Waits until half a second of packets that are still to come is that tone. */
  async receives(frequencyHz: number): Promise<void> {
    await until(`${frequencyHz} Hz to arrive`, async () => {
      await this.rtp.more(30)
      return toneShare(decodePcmu(this.rtp.audio().subarray(-4000)), frequencyHz) > 0.7
    })
  }

  close(): void {
    this.#sends = false
  }
}

async function remote(number: { port: number }): Promise<Remote> {
  const rtp = await RtpEndpoint.open()
  return new Remote(rtp, await bed.callee({ localPort: number.port, rtpPort: rtp.port, timeoutSeconds: 120 }))
}

replaced.before(async () => {
  requirePeers('baresip', 'chromium', 'openssl', 'sipp')
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', inFolder('ca.key')]
  openssl('req', '-x509', ...curve, '-subj', '/CN=Authority of a test', '-days', '30', '-out', inFolder('ca.pem'))
  install(makeLeaf(0x1001, 20))
  for (const name of ['https', 'tls', 'wss'] as const) ports[name] = await freePort()
  const sipPort = await freePort()
  bed = await SwitchBed.open({
    env: {
      SAUTI_PUBLIC_URL: `https://localhost:${ports.https}`,
      SAUTI_SIP: `udp:127.0.0.1:${sipPort},tls:0.0.0.0:${ports.tls},wss:127.0.0.1:${ports.wss}`,
      // A browser's candidates leave loopback out; then Contact names this address too, where TLS has to listen.
      SAUTI_EXTERNAL_ADDRESS: ownAddress(),
      SAUTI_TLS_CERT: inFolder('live.pem'),
      SAUTI_TLS_KEY: inFolder('live.key'),
    },
    // The bed appends its own port to the last of these listeners.
    httpAddress: `https:127.0.0.1:${ports.https},http:127.0.0.1`,
  })
  const trunk = { name: 'carrier', host: ownAddress(), transport: 'tls', prefixes: [], inbound_hosts: [ownAddress()] }
  expectStatus(await bed.on.operator('POST', '/trunks', trunk), 201)
})

replaced.after(async () => {
  await phone?.close()
  await carrier?.stop()
  carrier?.remove()
  await bed?.close()
  rmSync(folder, { recursive: true, force: true })
})

replaced('new connections get the new certificate; page, trunk call and browser call go on', async () => {
  const [toBrowsers, toTrunk] = [await bed.destination(), await bed.destination()]
  await bed.account.hosts('voice_outbound', `<Dial><Number>${toBrowsers.number}</Number></Dial>`)
  await bed.account.hosts(
    'voice_inbound',
    `<Dial callerId="${bed.account.number}"><Number>${toTrunk.number}</Number></Dial>`,
  )
  const [behindBrowser, behindTrunk] = [await remote(toBrowsers), await remote(toTrunk)]

  // The browser: the phone in one page, the portal in another.
  const secure = `https://localhost:${ports.https}`
  phone = await BrowserPhone.launch(
    secure,
    browserHz,
    { wssUrl: `wss://localhost:${ports.https}/sip` },
    { args: ['--ignore-certificate-errors'] },
  )
  const browser = phone.page.context().browser()
  assert.ok(browser)
  portal = await (await browser.newContext()).newPage()
  portal.on('websocket', socket => sockets.push(socket))
  const link = expectStatus(await bed.on.operator('POST', `/accounts/${bed.account.uuid}/link`), 201).body.url as string
  await portal.goto(link)
  await portal.waitForSelector('.tiles')
  await portal.goto(`${secure}/#/calls`)
  await until('the stream of events', () => sockets.length > 0)

  assert.is(await phone.signIn(await mint(bed.account, await makeUser(bed.account, 'Amina'))), 'registered')
  const call = await phone.dial('100')
  await phone.state(call, 'accepted')
  carrier = new Baresip({
    sipPort: await freePort(),
    rtpPort: await freePort(),
    account: `<sip:${outsideCaller}@127.0.0.1;transport=tls>;regint=0;audio_codecs=PCMU/8000/1\n`,
    config: [`sip_cafile ${inFolder('ca.pem')}`],
    says: sine(trunkHz, 120),
    dial: `sip:${bed.account.number}@${ownAddress()}:${ports.tls}`,
  })
  await carrier.said('Call established')

  const bothHear = async () => {
    await Promise.all([
      behindTrunk.receives(trunkHz),
      behindBrowser.receives(browserHz),
      carrier.hears(remoteHz),
      phone.until('the tone in the page', async () => (await phone.hear(call, 500, [remoteHz])).shares[0]! > 0.7),
    ])
  }
  await Promise.all([
    until('packets', () => behindTrunk.rtp.received.length > 10),
    until('packets', () => behindBrowser.rtp.received.length > 10),
  ])
  const sending = [behindBrowser.send(), behindTrunk.send()]
  await bothHear()
  await until('two live calls in the portal', async () => (await portal.locator('td .badge.live').count()) === 2)

  const all = () => Object.values(ports).map(shown)
  assert.equal(all(), ['1001', '1001', '1001'])
  const frames = { count: 0 }
  for (const socket of sockets) socket.on('framereceived', () => frames.count++)

  install(makeLeaf(0x1002, 25))
  await until('the new certificate on every listener', () => all().every(serial => serial === '1002'), 30_000)

  // Longer than any look at the files takes, both talk on.
  for (let round = 0; round < 3; round++) {
    await bothHear()
    await sleep(1000)
  }
  const fresh = await (await browser.newContext()).newPage()
  const answer = await fresh.goto(`${secure}/health/`)
  const days = ((await answer?.securityDetails())?.validTo ?? 0) / 86_400 - Date.now() / 86_400_000
  assert.ok(days > 24 && days < 26, `a new page is shown a certificate for ${days} days`)
  await fresh.close()

  // Hung up as always, and the page that was there before follows it on the stream it had.
  carrier.command('b')
  await phone.act(call, 'hangup')
  for (const { sipp } of [behindBrowser, behindTrunk]) assert.is((await sipp.done).code, 0)
  for (const remote of [behindBrowser, behindTrunk]) remote.close()
  await Promise.all(sending)
  for (const remote of [behindBrowser, behindTrunk]) remote.rtp.close()
  await until('both calls to be over in the portal', async () => (await portal.locator('td .badge.live').count()) === 0)
  assert.is(await portal.locator('td .badge.good').count(), 2)
  assert.is(sockets.length, 1, 'the page opened its stream once')
  assert.not(sockets[0]!.isClosed())
  assert.ok(frames.count > 0, 'events arrived on it after the change')
  assert.is(await phone.evaluate('bed.sockets.length'), 1, 'the phone opened its line once')
  assert.is(await phone.evaluate('bed.phone.isRegistered'), true)

  const { calls } = expectStatus(await bed.account.api('GET', '/calls/?limit=10'), 200).body
  const ends = calls.map(({ direction, status, reason_code: reason }: Record<string, string>) => [
    direction,
    status,
    reason,
  ])
  assert.equal(ends.sort(), [
    ['inbound', 'completed', 'END.0200'],
    ['internal', 'completed', 'END.0200'],
  ])
  const { body: rows } = expectStatus(await bed.account.api('GET', '/events/?code=CALL.0300'), 200)
  const reported = rows.map(({ sid, data }: { sid: string; data: Record<string, unknown> }) => [sid, data.reason_code])
  assert.equal(reported.sort(), calls.map(({ sid }: { sid: string }) => [sid, 'END.0200']).sort())
  assert.equal(phone.complaints, [])
})

replaced.run()
