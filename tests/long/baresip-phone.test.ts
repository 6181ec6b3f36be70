import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { requirePeers } from '../rig/beds/debian.ts'
import { outsideCaller, SwitchBed } from '../rig/beds/switch-bed.ts'
import { testCertificate, testKey } from '../rig/fakes/certificate.ts'
import { Baresip } from '../rig/peers/baresip.ts'
import { makeUser, mint, type PhoneUser } from '../rig/peers/browser-phone.ts'
import { RtpEndpoint } from '../rig/peers/rtp-endpoint.ts'
import { encodePcmu } from '../rig/probes/g711.ts'
import { freePort } from '../rig/probes/ports.ts'
import { secondsOf, untilReceived } from '../rig/probes/received-audio.ts'
import { sine } from '../rig/probes/tone.ts'
import { until } from '../rig/probes/wait.ts'

// A registered phone that is no browser: Debian's baresip over TLS.

const phones = suite('baresip over TLS as a registered phone')
const [ownHz, farHz, assetHz] = [600, 1000, 440]
let bed: SwitchBed
let user: PhoneUser
let folder: string
let certificate: string
let sipPort: number
let tlsPort: number
let phone: Baresip | undefined

phones.before(async () => {
  requirePeers('baresip', 'sipp')
  folder = mkdtempSync(join(tmpdir(), 'sauti-certificate-'))
  certificate = join(folder, 'certificate.pem')
  const key = join(folder, 'key.pem')
  writeFileSync(certificate, testCertificate)
  writeFileSync(key, testKey)
  sipPort = await freePort()
  tlsPort = await freePort()
  bed = await SwitchBed.open({
    env: {
      SAUTI_SIP: `udp:127.0.0.1:${sipPort},tls:127.0.0.1:${tlsPort}`,
      SAUTI_TLS_CERT: certificate,
      SAUTI_TLS_KEY: key,
    },
    prefixes: ['+254'],
  })
  await bed.account.asset('tone', sine(assetHz, 1))
  user = await makeUser(bed.account, 'Desk')
})

phones.after.each(async () => {
  await phone?.stop()
  phone?.remove()
  phone = undefined
})

phones.after(async () => {
  await bed?.close()
  rmSync(folder, { recursive: true, force: true })
})

const isRegistered = async (): Promise<boolean> =>
  (await bed.account.api('GET', '/users/')).body.find(({ uuid }: PhoneUser) => uuid === user.uuid).is_registered

/** By the lines of docs/phones.md. Of an account's line baresip 1.0 reads 511 characters, most of which the token takes. */
const register = async (more = '', config: readonly string[] = []): Promise<Baresip> => {
  const { token } = await mint(bed.account, user)
  const proxy = `;outbound="sip:127.0.0.1:${tlsPort};transport=tls"`
  const line = `<sip:${user.extension}@localhost;transport=tls>;auth_pass=${token}${proxy}${more}`
  assert.ok(line.length < 512, `${line.length}`)
  phone = new Baresip({
    sipPort: await freePort(),
    rtpPort: await freePort(),
    says: sine(ownHz, 20),
    account: `${line}\n`,
    modules: ['dtls_srtp', 'ice', 'srtp'],
    config: [`sip_cafile ${certificate}`, ...config],
  })
  await phone.said('registered successfully')
  assert.is(await isRegistered(), true)
  return phone
}

phones('registers by digest with the token as password, calls a hosted document, hears it to its end', async () => {
  await bed.account.hosts('voice_outbound', '<Play asset="tone"/>')
  const desk = await register()
  desk.command('/dial 100\n')
  await desk.said('Call established')
  await desk.said(/Call with .* terminated/)
  await desk.stop()
  assert.ok(secondsOf(desk.received(), assetHz) > 0.8, `${secondsOf(desk.received(), assetHz)} s of the tone`)
  await until('the row of the call', async () => (await bed.account.call()).status === 'completed')
  assert.is((await bed.account.call()).reason_code, 'END.0202')
})

/** How its media goes: what stands after its account, in its config, and what it says of its protection. */
const manners = [
  ['in the clear', '', [], ''],
  ['DTLS-SRTP and ICE', ';mediaenc=dtls_srtp;medianat=ice', ['rtcp_mux yes'], 'verified sha-256 fingerprint OK'],
  ['SRTP by keys in SDP', ';mediaenc=srtp-mand', [], 'SRTP is Enabled'],
] as const

for (const [how, more, config, proof] of manners.slice(1)) {
  phones(`${how}: calls a SIP user agent through a trunk, tones both ways, hangs up`, async () => {
    await bed.account.hosts('voice_outbound', '<Dial><Number>+254733000666</Number></Dial>')
    const far = await RtpEndpoint.open()
    const callee = await bed.callee({ rtpPort: far.port })
    const desk = await register(more, config)
    desk.command('/dial 100\n')
    await desk.said('Call established')
    await desk.said(proof)
    await untilReceived(far, ownHz)
    await far.stream(encodePcmu(sine(farHz, 1)))
    desk.command('b')
    assert.is((await callee.done).code, 0)
    far.close()
    await desk.stop()
    assert.ok(secondsOf(desk.received(), farHz) > 0.7, `${secondsOf(desk.received(), farHz)} s of the tone`)
  })
}

for (const [how, more, config, proof] of manners) {
  phones(
    `${how}: is called by a SIP user agent through a trunk, tones both ways; hangs up, then the caller does`,
    async () => {
      await bed.account.hosts('voice_inbound', `<Dial callerId="${outsideCaller}"><Client>${user.uuid}</Client></Dial>`)
      const desk = await register(more, config)
      for (const [at, scenario] of ['caller', 'caller-hangs-up'].entries()) {
        const near = await RtpEndpoint.open()
        const remote = `127.0.0.1:${sipPort}`
        const caller = await bed.caller({ scenario, remote, rtpPort: near.port, pauseMs: 1500 })
        // An offer that it does not take is an incoming call to it, too.
        const ringing = /Incoming call from: .*722000111.* - \(press 'a' to accept\)/g
        await until('baresip to ring', () => (desk.output.match(ringing)?.length ?? 0) > at)
        desk.command('a')
        await untilReceived(near, ownHz)
        if (scenario === 'caller') {
          await near.stream(encodePcmu(sine(farHz, 1)))
          desk.command('b')
        }
        assert.is((await caller.done).code, 0, scenario)
        near.close()
      }
      assert.ok(desk.output.includes(proof), proof)
      await desk.stop()
      assert.ok(secondsOf(desk.received(), farHz) > 0.7, `${secondsOf(desk.received(), farHz)} s of the tone`)
    },
  )
}

phones.run()
