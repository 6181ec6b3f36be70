import { spawnSync } from 'node:child_process'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addTrunk, BedAccount, setRates } from '../rig/beds/account.ts'
import { programPath, requireNetworks, requirePeers } from '../rig/beds/debian.ts'
import { enterOwnNetwork, NetworkNamespace } from '../rig/beds/network-namespace.ts'
import { SwitchProcess } from '../rig/beds/switch-process.ts'
import { BrowserPhone, makeUser, mint } from '../rig/peers/browser-phone.ts'
import { Customer } from '../rig/peers/customer.ts'
import { RtpEndpoint } from '../rig/peers/rtp-endpoint.ts'
import { Sipp } from '../rig/peers/sipp.ts'
import { decodePcmu, encodePcmu } from '../rig/probes/g711.ts'
import { freePort } from '../rig/probes/ports.ts'
import { sine, toneShare } from '../rig/probes/tone.ts'
import { sleep } from '../rig/probes/wait.ts'

// A phone that leaves one network for another in a call, as from Wi-Fi to mobile: Chromium on a host of its own with two
// links to the switch: the one in use goes down, the other comes up.
const network = suite('phone in Chromium: another network')

const number = '+254733000444'
const address = '10.77.9.1'
const [microphoneHz, peerHz] = [600, 1000]
const links = { wifi: '10.77.1.2', mobile: '10.77.2.2' } as const
let space: NetworkNamespace
let on: SwitchProcess
let customer: Customer
let door: Server
let phone: BrowserPhone
let account: BedAccount
let calleePort: number
const sockets = new Set<Socket>()

/** A link that goes down loses its routes. */
function route(link: keyof typeof links): void {
  const gateway = links[link].replace(/2$/, '1')
  space.run('ip', 'route', 'add', 'default', 'via', gateway, 'metric', link === 'wifi' ? '10' : '20')
}

network.before(async () => {
  requirePeers('chromium', 'sipp', 'ip')
  requireNetworks()
  enterOwnNetwork()
  space = await NetworkNamespace.open()
  space.connect({ name: 'wifi', address: '10.77.1.2/24' }, undefined, { name: 'far-wifi', address: '10.77.1.1/24' })
  space.connect({ name: 'mobile', address: '10.77.2.2/24' }, undefined, { name: 'far-mobile', address: '10.77.2.1/24' })
  spawnSync('ip', ['address', 'add', `${address}/32`, 'dev', 'lo'])
  space.run('ip', 'link', 'set', 'mobile', 'down')
  route('wifi')
  on = await SwitchProcess.start({ SAUTI_EXTERNAL_ADDRESS: address })
  // The switch's HTTP is on 127.0.0.1: this is the way in from the other host.
  door = createServer(near => {
    const far = connect(on.httpPort, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    near.pipe(far).pipe(near)
  })
  const doorPort = await freePort()
  await new Promise<void>(resolve => door.listen(doorPort, address, resolve))
  customer = await Customer.open()
  customer.on('/out', `<Response><Dial><Number>${number}</Number></Dial></Response>`)
  calleePort = await freePort()
  await setRates(on)
  account = await BedAccount.make(on)
  await addTrunk(on, { name: 'carrier', port: calleePort, prefixes: ['+254'] })
  await account.webhook('voice_outbound', customer.url('/out'))
  const origin = `http://${address}:${doorPort}`
  phone = await BrowserPhone.launch(
    origin,
    microphoneHz,
    {},
    {
      program: space.wrapper(programPath('chromium') ?? ''),
      args: [`--unsafely-treat-insecure-origin-as-secure=${origin}`],
    },
  )
})

network.after(async () => {
  await phone?.close()
  for (const socket of sockets) socket.destroy()
  door?.close()
  await customer?.close()
  await on?.close()
  await space?.close()
})

network(
  'from one link to another in a call: new ICE over a new WebSocket, audio both ways again, hang-up works',
  async () => {
    const rtpPort = await freePort()
    const far = await RtpEndpoint.open(rtpPort)
    const peer = new Sipp({ scenario: 'callee', localPort: calleePort, rtpPort, pauseMs: 60_000 })
    await peer.listening()
    assert.is(await phone.signIn(await mint(account, await makeUser(account, 'Amina'))), 'registered')
    const call = await phone.dial(number)
    await phone.state(call, 'accepted')
    const bothHear = async (what: string) => {
      let last: unknown
      await phone
        .until(
          what,
          async () => {
            far.received.length = 0
            const [{ shares }] = await Promise.all([
              phone.hear(call, 900, [peerHz]),
              far.stream(encodePcmu(sine(peerHz, 1))),
            ])
            const audio = far.audio()
            const up = audio.length < 4000 ? 0 : toneShare(decodePcmu(audio.subarray(-4000)), microphoneHz)
            last = { down: shares[0], up }
            return shares[0]! > 0.7 && up > 0.7
          },
          30_000,
        )
        .catch(fault => {
          throw new Error(`${String(fault).slice(0, 300)} ${JSON.stringify(last)}`)
        })
    }
    await bothHear('tones both ways')
    const local = () =>
      phone.evaluate<string>(`bed.connections.at(-1).getStats().then(stats => {
      const all = [...stats.values()]
      const { selectedCandidatePairId } = all.find(it => it.type === 'transport')
      return stats.get(stats.get(selectedCandidatePairId)?.localCandidateId)?.address ?? ''
    })`)
    const registeredAgain = async (since: number) => {
      await phone.until(
        'the phone to be registered again',
        async () => {
          const reported = (await phone.events()).slice(since)
          return reported.includes('disconnected') && reported.at(-1) === 'registered'
        },
        30_000,
      )
    }
    const link = (name: string, state: 'up' | 'down') => space.run('ip', 'link', 'set', name, state)
    assert.is(await local(), links.wifi)
    const since = (await phone.events()).length
    link('wifi', 'down')
    await sleep(500)
    link('mobile', 'up')
    route('mobile')
    await registeredAgain(since)
    await phone.until('the other link', async () => (await local()) === links.mobile, 30_000)
    await bothHear('tones both ways over the other link')
    const { events, state } = await phone.call(call)
    assert.is(state, 'accepted')
    // Shown to the person and reported when it was over, or too short to be reported.
    const trouble = events.filter(name => name === 'reconnecting' || name === 'reconnected')
    assert.ok(trouble.length === 0 || trouble.at(-1) === 'reconnected', trouble.join())
    await phone.act(call, 'hangup')
    assert.is((await peer.done).code, 0)
    far.close()
  },
)

network.run()
