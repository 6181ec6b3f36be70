import type { ChildProcess } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { programPath, requireNetworks, requirePeers } from '../rig/beds/debian.ts'
import { enterOwnNetwork, mortal, NetworkNamespace } from '../rig/beds/network-namespace.ts'
import { SwitchBed } from '../rig/beds/switch-bed.ts'
import { makeUser, mint } from '../rig/peers/browser-phone.ts'
import { LibraryBrowser, LibraryPage } from '../rig/peers/library-page.ts'
import { RtpEndpoint } from '../rig/peers/rtp-endpoint.ts'
import { encodePcmu } from '../rig/probes/g711.ts'
import { untilReceived } from '../rig/probes/received-audio.ts'
import { sine } from '../rig/probes/tone.ts'
import { sleep, until } from '../rig/probes/wait.ts'

// Three hosts. Between the browser's network and the switch's stands a router that lets TCP
// through and no UDP, as companies' do; coturn runs on it.
//
//   Chromium 10.77.1.2 ── 10.77.1.1 router, coturn 10.77.2.1 ── 10.77.2.2 switch, SIP peer, this test

const relayed = suite('a call through coturn')

const [browserHost, turnHost, relayHost, switchHost] = ['10.77.1.2', '10.77.1.1', '10.77.2.1', '10.77.2.2']
const secret = 'shared-with-coturn'
const [microphoneHz, farHz] = [600, 1000]
const number = '+254733000444'
let office: NetworkNamespace
let router: NetworkNamespace
let turn: ChildProcess
let capture: ChildProcess
let browser: LibraryBrowser
let bed: SwitchBed
let phone: LibraryPage
let turnLog = ''
/** UDP between the switch and others, a line a packet. */
let seen = ''

relayed.before(async () => {
  requirePeers('chromium', 'sipp', 'turnserver', 'tcpdump', 'ip')
  requireNetworks()
  enterOwnNetwork()
  office = await NetworkNamespace.open()
  router = await NetworkNamespace.open()
  router.connect({ name: 'office', address: `${turnHost}/24` }, office, { name: 'lan', address: `${browserHost}/24` })
  router.connect({ name: 'service', address: `${relayHost}/24` }, undefined, {
    name: 'wan',
    address: `${switchHost}/24`,
  })
  office.run('ip', 'route', 'add', 'default', 'via', turnHost)
  // From the switch's side the way back exists too: what is missing is the router's leave.
  router.run('sh', '-c', `nsenter --target ${process.pid} --net ip route add 10.77.1.0/24 via ${relayHost}`)
  router.run('sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward')
  for (const side of ['office', 'service'])
    router.run('ip', 'rule', 'add', 'iif', side, 'ipproto', 'udp', 'table', '77', 'priority', '77')
  router.run('ip', 'route', 'add', 'prohibit', 'default', 'table', '77')
  turn = router.spawn(
    'turnserver',
    ...['-n', '--listening-ip', turnHost, '--relay-ip', relayHost, '--listening-port', '3478', '--realm', 'turn.test'],
    ...['--use-auth-secret', '--static-auth-secret', secret, '--no-tls', '--no-dtls', '--no-cli'],
    ...['--log-file', 'stdout', '--simple-log', '--verbose', '--pidfile', '/dev/null', '--relay-threads', '1'],
  )
  turn.stdout?.on('data', chunk => {
    turnLog += chunk
  })
  capture = mortal('tcpdump', '-l', '-n', '-t', '-i', 'wan', '-Z', 'root', 'udp')
  capture.stdout?.on('data', chunk => {
    seen += chunk
  })
  browser = await LibraryBrowser.launch(microphoneHz, {
    program: office.wrapper(programPath('chromium') ?? ''),
    address: switchHost,
  })
  bed = await SwitchBed.open({
    env: {
      SAUTI_EXTERNAL_ADDRESS: switchHost,
      SAUTI_ALLOWED_ORIGINS: browser.origin,
      SAUTI_TURN: `turn:${turnHost}:3478?transport=udp,turn:${turnHost}:3478?transport=tcp`,
      SAUTI_TURN_SECRET: secret,
    },
    httpAddress: '0.0.0.0',
    prefixes: ['+254'],
  })
  phone = await LibraryPage.open(browser, 'jssip')
})

relayed.after(async () => {
  await browser?.close()
  await bed?.close()
  turn?.kill('SIGKILL')
  capture?.kill('SIGKILL')
  await office?.close()
  await router?.close()
})

const signIn = async (withTurn: boolean) => {
  const user = await makeUser(bed.account, 'Amina')
  const { token, iceServers } = await mint(bed.account, user)
  await phone.act('signIn', {
    url: `ws://${switchHost}:${bed.on.httpPort}/sip`,
    realm: 'localhost',
    extension: user.extension,
    token,
    iceServers: withTurn ? iceServers : [],
  })
}
const from = (host: string) => seen.split('\n').filter(line => line.startsWith(`IP ${host}.`)).length

relayed('the direct way is blocked: no datagram passes, and a call without TURN finds no path', async () => {
  const socket = createSocket('udp4')
  let probes = 0
  socket.on('message', () => probes++)
  await new Promise<void>(resolve => socket.bind(9999, switchHost, resolve))
  for (let i = 0; i < 3; i++) office.run('bash', '-c', `echo probe > /dev/udp/${switchHost}/9999 || true`)
  router.run('bash', '-c', `echo probe > /dev/udp/${switchHost}/9999`)
  await until('the probe of the router itself', () => probes > 0)
  assert.is(probes, 1)
  socket.close()
  await bed.account.hosts('voice_outbound', '<Pause length="1"/><Say>Hello.</Say><Pause length="60"/>')
  await signIn(false)
  await phone.act('call', '100')
  await phone.state('talking')
  await sleep(1500)
  assert.is(await phone.evaluate('bed.connections.at(-1).iceConnectionState'), 'checking')
  assert.is(from(browserHost), 0)
  await phone.act('hangUp')
  await phone.state('ended')
  await phone.act('signOut')
})

relayed(
  'with the minted iceServers coturn relays it: tones both ways, every packet from the relay address',
  async () => {
    await phone.evaluate('bed.states.length = 0')
    await bed.account.hosts('voice_outbound', '<Dial><Number>{{To}}</Number></Dial>')
    await signIn(true)
    const far = await RtpEndpoint.open()
    const callee = await bed.callee({ rtpPort: far.port })
    await phone.act('call', number)
    await phone.state('talking')
    await untilReceived(far, microphoneHz)
    const [received] = await Promise.all([phone.hear(600, farHz), far.stream(encodePcmu(sine(farHz, 0.8)))])
    assert.ok(received.share > 0.7 && received.loudness > 0.01, `the page hears ${JSON.stringify(received)}`)
    const route = await phone.evaluate<{ candidateType: string; address: string; remote: string }>('bed.route()')
    assert.equal(route, { candidateType: 'relay', address: relayHost, remote: switchHost })
    await phone.act('hangUp')
    await phone.state('ended')
    assert.is((await callee.done).code, 0)
    far.close()
    await sleep(100)
    assert.ok(from(relayHost) > 50, `${from(relayHost)} packets from the relay`)
    assert.is(from(browserHost), 0)
    assert.match(turnLog, /ALLOCATE processed, success/)
    assert.equal(phone.complaints, [])
  },
)

relayed.run()
