import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addTrunk, expectStatus } from '../rig/beds/account.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { sideBySide } from '../rig/beds/side-by-side.ts'
import { SwitchBed } from '../rig/beds/switch-bed.ts'
import { PlainCaller } from '../rig/peers/plain-caller.ts'
import { RtpEndpoint } from '../rig/peers/rtp-endpoint.ts'
import { RtpSource } from '../rig/peers/rtp-source.ts'
import { Sipp } from '../rig/peers/sipp.ts'
import { freePort } from '../rig/probes/ports.ts'
import { sleep, until } from '../rig/probes/wait.ts'

// RTP bleed and injection over real sockets: the peer at one address of loopback, attackers at others, and a bridge to a
// carrier that nobody here wrote. What an attacker gets is counted: packets of its own at the carrier, and of the call at it.

const sources = suite('Where media comes from')
const calls = sideBySide(sources)
const [peerByte, attackByte, otherByte] = [0x2a, 0x66, 0x33]
/** The SIP address of a phone behind a NAT; its SDP names an address of its own network. */
const [natAddress, innerAddress] = ['127.0.0.5', '127.0.0.77']
const attackers = ['127.0.0.66', '127.0.0.67', '127.0.0.68', '127.0.0.69'] as const
const listed = '127.0.0.99'
let bed: SwitchBed

sources.before(async () => {
  requirePeers('sipp')
  bed = await SwitchBed.open()
  const trunk = await addTrunk(bed.on, { name: 'carriers', port: await freePort(), prefixes: [] })
  const change = { inbound_hosts: ['127.0.0.1', natAddress], media_hosts: [`${listed}/32`] }
  expectStatus(await bed.on.operator('PATCH', `/trunks/${trunk}`, change), 200)
})
sources.after(() => bed?.close())

/** A caller whose document dials on, the carrier that it is bridged to, and four attackers. */
class BridgedCall {
  readonly caller: PlainCaller
  readonly far: RtpEndpoint
  readonly attackers: readonly RtpSource[]
  readonly from: string
  port = 0
  #hasEnded = false
  /** Frames that the carrier has sent. */
  #spokenBack = 0

  private constructor(caller: PlainCaller, far: RtpEndpoint, attackers: readonly RtpSource[], from: string) {
    this.caller = caller
    this.far = far
    this.attackers = attackers
    this.from = from
  }

  static async open(sipAddress = '127.0.0.1'): Promise<BridgedCall> {
    const { number, port } = await bed.destination()
    const far = await RtpEndpoint.open()
    await new Sipp({ scenario: 'callee', localPort: port, rtpPort: far.port }).listening()
    const from = `+25472233${String(port).padStart(5, '0')}`
    documents.set(from, `<Dial><Number>${number}</Number></Dial>`)
    const caller = await PlainCaller.open({
      sipPort: bed.on.sipPort,
      to: bed.account.number,
      from,
      address: sipAddress,
    })
    return new BridgedCall(caller, far, await Promise.all(attackers.map(at => RtpSource.open(at, attackByte))), from)
  }

  async answered(media: Parameters<PlainCaller['invite']>[0]): Promise<void> {
    const { status, port } = await this.caller.invite(media)
    assert.is(status, 200)
    this.port = port
    // The carrier's own audio, so that there is something to bleed.
    void this.far.more(1).then(() => this.#speakBack())
  }

  /** Frames of each, on a beat of 20 ms. */
  async speaks(seconds: number, ...who: readonly (RtpSource | 'attackers')[]): Promise<void> {
    const began = performance.now()
    for (let n = 0; n < 50 * seconds; n++) {
      for (const each of who) {
        if (each !== 'attackers') each.send(this.port)
        else
          for (const attacker of this.attackers) {
            attacker.send(this.port)
            if (n % 25 === 0) attacker.report(this.port + 1)
          }
      }
      await sleep(Math.max(0, began + 20 * (n + 1) - performance.now()))
    }
  }

  /** How many frames of that byte the carrier has received. */
  carried(byte: number): number {
    return this.far.received.filter(({ payload }) => payload.length === 160 && payload.every(each => each === byte))
      .length
  }

  /** How many of that byte come to the carrier while `act` goes on. */
  async carriedWhile(byte: number, act: () => Promise<void>): Promise<number> {
    const before = this.carried(byte)
    await act()
    // This process reads what has come when it gets the processor: all of it is there when nothing more comes.
    for (let seen = -1; seen !== this.carried(byte); await sleep(200)) seen = this.carried(byte)
    return this.carried(byte) - before
  }

  /** The share of the carrier's frames, sent while `act` goes on, that comes to `source`. How many those are is this process's own affair. */
  async heardWhile(source: RtpSource, act: () => Promise<void>): Promise<number> {
    const [received, sent] = [source.received, this.#spokenBack]
    await act()
    assert.ok(this.#spokenBack - sent > 10, `the carrier sent ${this.#spokenBack - sent} frames`)
    return (source.received - received) / (this.#spokenBack - sent)
  }

  get bled(): number {
    return this.attackers.reduce((sum, { received }) => sum + received, 0)
  }

  async source(): Promise<Record<string, unknown>> {
    const { body } = expectStatus(await bed.on.operator('GET', '/calls?limit=100'), 200)
    const call = body.calls.find((each: { from_number: string }) => each.from_number === this.from)
    return call?.legs.find((leg: { role: string }) => leg.role === 'caller')?.media_source ?? {}
  }

  async end(): Promise<void> {
    assert.equal([this.carried(attackByte), this.bled], [0, 0], 'nothing injected, nothing bled')
    this.#hasEnded = true
    await this.caller.bye()
    for (const each of [this.caller, this.far, ...this.attackers]) each.close()
  }

  async #speakBack(): Promise<void> {
    while (!this.#hasEnded) {
      this.far.sendFrame(new Uint8Array(160).fill(otherByte))
      this.#spokenBack++
      await sleep(20)
    }
  }
}

const documents = new Map<string, string>()
sources.before(async () => {
  const url = bed.customer.on('/voice', (post, response) => {
    response.writeHead(200, { 'content-type': 'application/xml' })
    response.end(`<Response>${documents.get(post.body.From) ?? ''}</Response>`)
  })
  await bed.account.webhook('voice_inbound', url)
})

calls('before the first packet of the peer: attackers are not taken, and do not lock it out', async () => {
  const call = await BridgedCall.open()
  const peer = await RtpSource.open('127.0.0.1', peerByte)
  await call.answered({ address: '127.0.0.1', port: peer.port })
  await call.speaks(3, 'attackers')
  const carried = await call.carriedWhile(peerByte, () => call.speaks(2, peer, 'attackers'))
  assert.ok(carried >= 95, `${carried}`)
  assert.ok(peer.received > 50)
  await call.end()
})

calls('a peer that falls silent for long is not replaced, by its own SSRC and numbers neither', async () => {
  const call = await BridgedCall.open()
  const peer = await RtpSource.open('127.0.0.1', peerByte)
  await call.answered({ address: '127.0.0.1', port: peer.port })
  await call.speaks(1, peer)
  const [thief] = call.attackers
  thief!.ssrc = peer.ssrc
  thief!.sequence = peer.sequence
  const heard = await call.heardWhile(peer, () => call.speaks(8, 'attackers'))
  assert.ok(heard > 0.87, `${heard}: the carrier is heard where SDP says`)
  const carried = await call.carriedWhile(peerByte, () => call.speaks(1, peer, 'attackers'))
  assert.ok(carried >= 47, `${carried}`)
  const source = await until('figures', async () => {
    const source = await call.source()
    return Number(source.refused_packets) > 1000 && source
  })
  assert.equal([source.address, source.state, source.changes], [`127.0.0.1:${peer.port}`, 'confirmed', 0])
  await call.end()
})

calls('hold, by inactive and by 0.0.0.0, opens nothing, nor does what comes after', async () => {
  const call = await BridgedCall.open()
  const peer = await RtpSource.open('127.0.0.1', peerByte)
  const media = { address: '127.0.0.1', port: peer.port }
  await call.answered(media)
  await call.speaks(1, peer)
  for (const hold of [
    { ...media, direction: 'inactive' as const },
    { ...media, address: '0.0.0.0' },
  ]) {
    assert.is((await call.caller.invite(hold)).status, 200)
    await call.speaks(2, 'attackers')
    assert.is((await call.caller.invite(media)).status, 200)
    await call.speaks(2, 'attackers')
    const carried = await call.carriedWhile(peerByte, () => call.speaks(1, peer, 'attackers'))
    assert.ok(carried >= 47, `${carried}`)
  }
  await call.end()
})

calls('behind a NAT: learned from the address that SIP comes from, not from who is earlier', async () => {
  const call = await BridgedCall.open(natAddress)
  const peer = await RtpSource.open(natAddress, peerByte)
  await call.answered({ address: innerAddress, port: 4000 })
  await call.speaks(2, 'attackers')
  const carried = await call.carriedWhile(peerByte, () => call.speaks(2, peer, 'attackers'))
  assert.ok(carried >= 98, `${carried}: its packets as a candidate are carried, too`)
  const heard = await call.heardWhile(peer, () => call.speaks(4, peer, 'attackers'))
  assert.ok(heard > 0.9, `${heard}: symmetric RTP`)
  // Its NAT gives the stream another port.
  const rebound = await RtpSource.open(natAddress, peerByte)
  rebound.ssrc = peer.ssrc
  rebound.sequence = peer.sequence
  let again = 0
  const heardAgain = await call.heardWhile(rebound, async () => {
    again = await call.carriedWhile(peerByte, () => call.speaks(4, rebound, 'attackers'))
  })
  assert.ok(again >= 180, `${again}`)
  assert.ok(heardAgain > 0.75, `${heardAgain}`)
  const source = await until('figures', async () => {
    const source = await call.source()
    return source.changes === 2 && source
  })
  assert.equal([source.address, source.state], [`${natAddress}:${rebound.port}`, 'learned'])
  const logged = bed.on.log.filter(
    line => line.includes('media comes from another address') && line.includes(natAddress),
  )
  assert.ok(logged.length >= 2, 'never in silence')
  await call.end()
})

calls(
  'of media_hosts: learned after five packets, displaced by the SIP peer, and that by the address in SDP',
  async () => {
    const call = await BridgedCall.open(natAddress)
    const inner = await RtpSource.open(innerAddress, peerByte)
    await call.answered({ address: innerAddress, port: inner.port })
    const third = await RtpSource.open(listed, otherByte)
    assert.ok((await call.carriedWhile(otherByte, () => call.speaks(1, third, 'attackers'))) >= 48)
    const nat = await RtpSource.open(natAddress, peerByte)
    assert.ok((await call.carriedWhile(peerByte, () => call.speaks(1, nat, third, 'attackers'))) >= 48)
    assert.ok((await call.carriedWhile(otherByte, () => call.speaks(1, third, nat, 'attackers'))) <= 2)
    const heard = await call.heardWhile(inner, () => call.speaks(1, inner, nat, third, 'attackers'))
    assert.ok(heard > 0.8, `${heard}`)
    await call.end()
  },
)

calls('a third party that SDP names gets five seconds of media, however many offers name one', async () => {
  const call = await BridgedCall.open()
  const sinks = await Promise.all(['127.0.0.81', '127.0.0.82', '127.0.0.83'].map(at => RtpSource.open(at, 0)))
  for (const [n, sink] of sinks.entries()) {
    const media = { address: `127.0.0.8${n + 1}`, port: sink.port }
    if (n === 0) await call.answered(media)
    else assert.is((await call.caller.invite(media)).status, 200)
    await sleep(4000)
  }
  const all = sinks.reduce((sum, { received }) => sum + received, 0)
  assert.ok(all > 100 && all <= 251, `${all} packets`)
  await until('figures', async () => Number((await call.source()).withheld_packets) > 0)
  await call.end()
})

sources('what was learned, refused and withheld is in the metrics', async () => {
  const { body } = await bed.on.request(bed.on.operatorKey, 'GET', '/metrics')
  for (const what of ['learned', 'returned', 'refused', 'withheld'])
    assert.match(String(body), new RegExp(`sauti_rtp_sources_total\\{what="${what}"\\} [1-9]`), what)
})

sources.run()
