import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { EngineCodec } from '../../../rtp/contract/agreement.ts'
import { seeded } from '../../rig/probes/seeded.ts'
import { agreed } from '../bed/agreement.ts'
import { VirtualMedia } from '../bed/virtual-media.ts'
import { VirtualPeer } from '../bed/virtual-peer.ts'
import { WarmOpus } from '../bed/warm-opus.ts'

// Some packets are held for a tick and some go at once: whatever happens, those of a stream go in the order of their numbers.

const payloadTypes: Readonly<Record<EngineCodec, number>> = { PCMU: 0, PCMA: 8, G722: 9, opus: 96 }
const opusFrame = Uint8Array.of(0xf8, 0xff, 0xfe)

/** Legs that talk now and then, in packets of any length, and send digits. */
class Conversation {
  readonly media: VirtualMedia
  readonly #random: () => number
  readonly #talkers = new Map<string, { readonly peer: VirtualPeer; codec: EngineCodec; packetMs: number }>()
  readonly #read: (() => void)[] = []
  #opened = 0

  constructor(seed: number, opus: WarmOpus) {
    const random = seeded(seed)
    const media = new VirtualMedia({ ports: [30_000, 30_199], drainMs: 500 }, seed, opus)
    this.#random = random
    this.media = media
    media.network.isHeld = true
    media.lateMs = () => (random() < 0.1 ? 4.9 * random() : 0)
    media.prompts.set('p', { codec: 'PCMU', bytes: new Uint8Array(1000) })
    media.prompts.set('p G722', { codec: 'G722', bytes: new Uint8Array(4000) })
    media.prompts.set('p opus', { codec: 'opus', bytes: opusFrame, ends: Uint32Array.of(opusFrame.length) })
    // Some are read at once, others come between two ticks.
    media.promptRead = tell => {
      if (random() < 0.5) tell()
      else this.#read.push(tell)
    }
    for (let n = 0; n < 6; n++) this.#open()
  }

  run(ticks: number): void {
    const { media } = this
    for (let tick = 0; tick < ticks; tick++) {
      if (this.#random() < 0.15) this.#change()
      if (this.#random() < 0.02) media.now += Math.floor(130 * this.#random())
      for (const [n, { peer, codec, packetMs }] of [...this.#talkers.values()].entries()) {
        const isQuiet = (Math.floor(tick / 100) + n) % 3 === 0
        if (isQuiet || (5 * tick) % packetMs !== 0) continue
        const { timestamp } = peer
        const units = packetMs * (codec === 'opus' ? 48 : 8)
        if (Math.floor(tick / 37) % 5 === n % 5) {
          const digit = Uint8Array.of(3, tick % 37 > 32 ? 0x8a : 10, (tick % 37) >> 1, 160)
          peer.say(digit, { payloadType: 101, timestamp: (timestamp - (tick % 37) * 40) >>> 0 })
        } else {
          const payload = codec === 'opus' ? opusFrame : new Uint8Array(units).fill(tick)
          peer.say(payload, { payloadType: payloadTypes[codec] })
        }
        peer.timestamp = (timestamp + units) >>> 0
      }
      media.run(5)
    }
    media.engine.closeAll(media.now)
  }

  #pick<Choice>(choices: readonly [Choice, ...Choice[]]): Choice {
    return choices[Math.floor(this.#random() * choices.length)] ?? choices[0]
  }

  #anyone(): string {
    return this.#pick(['none', ...this.#talkers.keys()])
  }

  #open(): void {
    const n = this.#opened++
    const peer = new VirtualPeer(this.media, `${n}`, 4000 + 2 * n).open()
    this.#talkers.set(peer.session, { peer, codec: 'PCMU', packetMs: 20 })
    this.#agree(peer.session)
  }

  #agree(session: string): void {
    const talker = this.#talkers.get(session)
    if (talker === undefined) return
    const codec = this.#pick<EngineCodec>(['PCMU', 'PCMU', 'PCMA', 'G722', 'opus'])
    talker.codec = codec
    talker.packetMs = codec === 'opus' ? 20 : this.#pick([10, 20, 20, 30, 40])
    const payloadType = payloadTypes[codec]
    const agreement = agreed(talker.peer.port, {
      codec,
      payloadType,
      accept: [{ payloadType, codec }],
      ptimeMs: codec === 'opus' ? this.#pick([20, 40, 60]) : this.#pick([10, 20, 30, 40, 60]),
      ptimeAsked: this.#random() < 0.5,
      sendEvents: this.#pick([101, 101, undefined]),
    })
    this.media.do({ type: 'agree', session, agreement, talk: true })
  }

  #change(): void {
    const { media } = this
    const session = this.#anyone()
    const source = { kind: 'file', path: 'p' } as const
    const changes: readonly [() => void, ...(() => void)[]] = [
      () => this.#talkers.size < 8 && this.#open(),
      () => this.#agree(session),
      () => media.do({ type: 'play', session, play: 'p', source, loop: this.#pick([0, 1, 2]) }),
      () => media.do({ type: 'stop', session, play: 'p' }),
      () => media.do({ type: 'bridge', session, other: this.#anyone() }),
      () => media.do({ type: 'bridge', session, other: this.#anyone() }),
      () => media.do({ type: 'unbridge', session }),
      () => media.do({ type: 'join', session, room: this.#pick(['r', 's']), muted: false }),
      () => media.do({ type: 'leave', session }),
      () => media.do({ type: 'send-digits', session, digitsId: 'd', digits: '12' }),
      () => {
        for (const tell of this.#read.splice(0)) tell()
      },
      () => {
        if (this.#talkers.size <= 3) return
        media.do({ type: 'close', session })
        this.#talkers.delete(session)
      },
    ]
    this.#pick(changes)()
  }
}

test('packets of a stream go in the order of their numbers, and none after its goodbye', async () => {
  let compared = 0
  for (let seed = 1; seed <= 12; seed++) {
    const conversation = new Conversation(seed, await WarmOpus.open(60, {}, [8000, 16_000, 48_000]))
    conversation.run(1500)
    const { media } = conversation
    assert.equal(media.take('failed'), [], `seed ${seed}`)
    const last = new Map<string, number>()
    // Of a range that is not used up: no port is taken twice.
    const gone = new Set<number>()
    for (const { from, bytes, at } of media.network.sent) {
      const what = `seed ${seed}, port ${from} at ${at}`
      if (from % 2 === 1) {
        if (bytes.at(-8) === 0x81 && bytes.at(-7) === 203) gone.add(from - 1)
        continue
      }
      assert.not.ok(gone.has(from), what)
      const view = new DataView(bytes.buffer, bytes.byteOffset)
      const stream = `${from} ${view.getUint32(8)}`
      const sequence = view.getUint16(2)
      const step = (sequence - (last.get(stream) ?? sequence - 1)) & 0xffff
      assert.ok(step > 0 && step < 1000, `${what}: ${sequence} does not follow ${last.get(stream)}`)
      last.set(stream, sequence)
      compared++
    }
    assert.ok(gone.size > 0)
  }
  assert.ok(compared > 20_000)
})

test.run()
