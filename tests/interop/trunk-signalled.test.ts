import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { addTrunk, expectStatus } from '../rig/beds/account.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { SwitchBed } from '../rig/beds/switch-bed.ts'
import { RtpEndpoint } from '../rig/peers/rtp-endpoint.ts'
import { RtpSource } from '../rig/peers/rtp-source.ts'
import { mediaPortSeen, Sipp } from '../rig/peers/sipp.ts'
import { freePort } from '../rig/probes/ports.ts'
import { sleep, until } from '../rig/probes/wait.ts'

// Trunks with `media_source: signalled`, and sipp at both sides: the legs of all calls use one port, and each party gets
// the audio of its own call.

const frames = 50
let bed: SwitchBed
let carrier: string

test.before(async () => {
  requirePeers('sipp')
  bed = await SwitchBed.open({ env: { SAUTI_MEDIA_WORKERS: '1' } })
  const fields = { media_source: 'signalled', prefixes: [] }
  carrier = await addTrunk(bed.on, { name: 'carrier', port: await freePort(), ...fields })
})
test.after(() => bed?.close())

/** sipp calls, and the number dials on to another sipp by a trunk of the same kind. */
class BridgedPair {
  readonly #caller: Sipp
  readonly #callee: Sipp
  readonly near: RtpEndpoint
  readonly remote: RtpEndpoint

  private constructor(caller: Sipp, callee: Sipp, near: RtpEndpoint, remote: RtpEndpoint) {
    this.#caller = caller
    this.#callee = callee
    this.near = near
    this.remote = remote
  }

  static async open(pauseMs: number): Promise<BridgedPair> {
    const [near, remote] = [await RtpEndpoint.open(), await RtpEndpoint.open()]
    const port = await freePort()
    const number = `+25473355${String(port).padStart(5, '0')}`
    const trunk = { name: number, port, prefixes: [number], inbound: false, media_source: 'signalled' }
    await addTrunk(bed.on, trunk)
    await bed.account.hosts('voice_inbound', `<Dial><Number>${number}</Number></Dial>`)
    const callee = new Sipp({ scenario: 'callee', localPort: port, rtpPort: remote.port })
    await callee.listening()
    const caller = await bed.caller({ scenario: 'caller-hangs-up', rtpPort: near.port, pauseMs })
    const [toCaller, toCallee] = await until('both ports', () => {
      const ports = [mediaPortSeen(caller, 'SIP/2.0 200 OK'), mediaPortSeen(callee, 'INVITE sip:')] as const
      return ports[0] !== undefined && ports[1] !== undefined && ports
    })
    near.aim(toCaller!)
    remote.aim(toCallee!)
    return new BridgedPair(caller, callee, near, remote)
  }

  get ports(): readonly (number | undefined)[] {
    return [this.near.remotePort, this.remote.remotePort]
  }

  /** Both parties speak, each with a byte of its own over and over. */
  async speak(near: number, remote: number): Promise<void> {
    const audio = (byte: number) => new Uint8Array(160 * frames).fill(byte)
    await Promise.all([this.near.stream(audio(near)), this.remote.stream(audio(remote))])
  }

  async ended(): Promise<void> {
    const [caller, callee] = await Promise.all([this.#caller.done, this.#callee.done])
    assert.equal([caller.code, callee.code], [0, 0], caller.errors + callee.errors)
    this.near.close()
    this.remote.close()
  }
}

/** How many frames of that byte alone a party has received. */
const heard = (party: RtpEndpoint, byte: number): number =>
  party.received.filter(({ payload }) => payload.length === 160 && payload.every(each => each === byte)).length

test('the legs of two calls use one port; each party receives its own call, and an unknown source is dropped', async () => {
  const [one, two] = [await BridgedPair.open(7000), await BridgedPair.open(6000)]
  const ports = new Set([...one.ports, ...two.ports])
  assert.is(ports.size, 1)
  const attacker = await RtpSource.open('127.0.0.66', 0x66)
  const [port] = [...ports]
  const attack = async () => {
    for (let n = 0; n < frames; n++) {
      attacker.send(port!)
      await sleep(20)
    }
  }
  await Promise.all([one.speak(0x11, 0x12), two.speak(0x21, 0x22), attack()])
  await until('the last frames', () =>
    [heard(one.remote, 0x11), heard(two.near, 0x22)].every(count => count === frames),
  )
  assert.equal([heard(one.remote, 0x11), heard(one.near, 0x12)], [frames, frames])
  assert.equal([heard(two.remote, 0x21), heard(two.near, 0x22)], [frames, frames])
  for (const party of [one.near, one.remote, two.near, two.remote]) {
    const own = [0x11, 0x12, 0x21, 0x22].map(byte => heard(party, byte)).filter(count => count > 0)
    assert.equal(own, [frames], 'of one party only')
    assert.is(heard(party, 0x66), 0)
  }
  assert.is(attacker.received, 0)
  attacker.close()
  const { body } = await bed.on.request(bed.on.operatorKey, 'GET', '/metrics')
  assert.match(String(body), /on_shared_ports"?\}? 4/)
  assert.match(String(body), new RegExp(`what="unknown"\\} ${frames}`))
  await Promise.all([one.ended(), two.ended()])
})

test('two calls whose SDP names one address: each keeps its audio, on ports that differ', async () => {
  const trunk = expectStatus(await bed.on.operator('GET', `/trunks/${carrier}`), 200)
  assert.is(trunk.body.media_source ?? trunk.body.trunk?.media_source, 'signalled')
  await bed.account.hosts('voice_inbound', '<Gather timeout="3"/>')
  const rtpPort = await freePort()
  const callers = [await bed.caller({ scenario: 'caller', rtpPort }), await bed.caller({ scenario: 'caller', rtpPort })]
  const ports = await Promise.all(
    callers.map(caller => until('the answer', () => mediaPortSeen(caller, 'SIP/2.0 200 OK'))),
  )
  assert.is(new Set(ports).size, 2)
  for (const caller of callers) assert.is((await caller.done).code, 0)
})

test.run()
