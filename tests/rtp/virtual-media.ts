import type { OpusCoders } from '../../rtp/codec/opus.ts'
import { StreamEncoder } from '../../rtp/codec/stream-encoder.ts'
import type { Agreement, EngineCommand, EngineEvent } from '../../rtp/engine/command.ts'
import { MediaEngine } from '../../rtp/engine/engine.ts'
import type { EngineConfig } from '../../rtp/engine/environment.ts'
import type { DatagramNetwork, DatagramReceiver, DatagramSocket, NetworkCounters } from '../../rtp/engine/network.ts'
import { slotBytes } from '../../rtp/engine/network.ts'
import type { PromptFault } from '../../rtp/engine/prompts.ts'
import { resample } from '../../rtp/resample/resampler.ts'
import type { Prompt } from '../../rtp/session/playback.ts'

export const home = (127 << 24) | 1

export interface Sent {
  readonly at: number
  readonly from: number
  readonly address: number
  readonly port: number
  readonly bytes: Uint8Array
}

class VirtualSocket implements DatagramSocket {
  readonly port: number
  receiver: DatagramReceiver | undefined = undefined
  readonly #network: VirtualNetwork

  constructor(network: VirtualNetwork, port: number) {
    this.#network = network
    this.port = port
  }

  send(packet: Uint8Array, length: number, address: number, port: number): void {
    this.#network.queue(this.port, packet, length, address, port)
  }

  close(): void {
    this.#network.sockets.delete(this.port)
  }
}

/** A network without sockets: what is sent is kept, what arrives is put there by the test. */
export class VirtualNetwork implements DatagramNetwork {
  readonly kind = 'virtual'
  readonly counters: NetworkCounters = { received: 0, sent: 0, unsent: 0, oversized: 0 }
  readonly sockets = new Map<number, VirtualSocket>()
  readonly sent: Sent[] = []
  readonly taken = new Set<number>()
  now = 0
  readonly #arrived: {
    readonly to: number
    readonly bytes: Uint8Array
    readonly address: number
    readonly port: number
  }[] = []
  readonly #queued: { readonly packet: Uint8Array; readonly length: number; readonly to: Omit<Sent, 'bytes'> }[] = []

  bind(port: number, done: (socket: DatagramSocket | undefined) => void): void {
    if (this.taken.has(port) || this.sockets.has(port)) {
      done(undefined)
      return
    }
    const socket = new VirtualSocket(this, port)
    this.sockets.set(port, socket)
    done(socket)
  }

  slot(): Uint8Array {
    return new Uint8Array(slotBytes)
  }

  queue(from: number, packet: Uint8Array, length: number, address: number, port: number): void {
    this.#queued.push({ packet, length, to: { at: this.now, from, address, port } })
  }

  arrive(to: number, bytes: Uint8Array, address: number, port: number): void {
    this.#arrived.push({ to, bytes, address, port })
  }

  receive(): void {
    for (const { to, bytes, address, port } of this.#arrived.splice(0)) {
      this.counters.received++
      const packet = new Uint8Array(slotBytes)
      packet.set(bytes.subarray(0, slotBytes))
      if (bytes.length > slotBytes) this.counters.oversized++
      else this.sockets.get(to)?.receiver?.(packet, bytes.length, address, port)
    }
  }

  flush(): void {
    for (const { packet, length, to } of this.#queued.splice(0)) {
      this.counters.sent++
      this.sent.push({ ...to, bytes: packet.slice(0, length) })
    }
  }

  close(): void {
    this.sockets.clear()
  }
}

export interface Recording {
  readonly samples: number[]
  readonly channels: number
  readonly sampleRate: number
  closed: boolean
}

/** Where nothing is to be coded as Opus. */
const noOpus: OpusCoders = { encoder: (_settings, done) => done(undefined), decoder: (_rate, done) => done(undefined) }

/** An engine in virtual time: ticks every 5 ms, a network and files of its own. */
export class VirtualMedia {
  readonly network = new VirtualNetwork()
  readonly events: EngineEvent[] = []
  /** What sessions told of themselves in between. */
  readonly told: Extract<EngineEvent, { readonly type: 'stats' }>[] = []
  readonly prompts = new Map<string, Prompt | PromptFault>()
  readonly recordings = new Map<string, Recording>()
  readonly engine: MediaEngine
  now = 1000
  tickMs = 5
  #seed: number

  constructor(config: Partial<EngineConfig> = {}, seed = 7, opus: OpusCoders = noOpus) {
    this.#seed = seed
    this.engine = new MediaEngine(
      { ports: [30_000, 30_099], ...config },
      {
        network: this.network,
        prompts: {
          load: (path, codec, _loop, done) =>
            done(this.prompts.get(`${path} ${codec}`) ?? this.prompts.get(path) ?? 'unreadable'),
          encode: (pcm, sampleRate, codec, done) => {
            const rate = codec === 'G722' ? 16_000 : 8000
            const samples = resample(pcm, sampleRate, rate)
            if (codec === 'G722') {
              done({ codec, bytes: new Uint8Array(samples.buffer, 0, samples.byteLength) })
              return
            }
            const bytes = new Uint8Array(samples.length)
            const coder = new StreamEncoder(codec, rate, opus, undefined)
            const length = coder.encodeInto(bytes, 0, samples, 0, samples.length & ~1)
            done(codec === 'opus' ? 'unsupported' : { codec, bytes: bytes.slice(0, length) })
          },
        },
        opus,
        recordings: {
          open: (path, channels = 1, sampleRate = 8000) => {
            const recording: Recording = { samples: [], closed: false, channels, sampleRate }
            this.recordings.set(path, recording)
            return {
              hasFailed: false,
              write: (pcm, from, count) => recording.samples.push(...pcm.subarray(from, from + count)),
              close: (samples, done) => {
                recording.samples.length = Math.min(samples, recording.samples.length)
                recording.closed = true
                done(44 + 2 * recording.samples.length, false)
              },
            }
          },
        },
        emit: event => {
          if (event.type === 'stats') this.told.push(event)
          else this.events.push(event)
        },
        now: () => this.now,
        random: () => this.random(),
        unixMs: now => 1_800_000_000_000 + now,
      },
    )
  }

  random(): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0
    return this.#seed / 0x1_0000_0000
  }

  do(command: EngineCommand): void {
    this.engine.execute(command, this.now)
  }

  /** Virtual milliseconds go by; `each` is called before every tick. */
  run(ms: number, each?: (now: number) => void): void {
    const until = this.now + ms
    while (this.now < until) {
      this.now += this.tickMs
      this.network.now = this.now
      each?.(this.now)
      this.engine.tick(this.now)
    }
  }

  take<Type extends EngineEvent['type']>(type: Type): Extract<EngineEvent, { readonly type: Type }>[] {
    const taken = this.events.filter(event => event.type === type)
    this.events.splice(0, this.events.length, ...this.events.filter(event => event.type !== type))
    return taken as Extract<EngineEvent, { readonly type: Type }>[]
  }
}

export interface RtpOptions {
  readonly payloadType?: number
  readonly sequence?: number
  readonly timestamp?: number
  readonly ssrc?: number
  readonly marker?: boolean
}

export const rtp = (payload: Uint8Array, options: RtpOptions = {}): Uint8Array => {
  const packet = new Uint8Array(12 + payload.length)
  const view = new DataView(packet.buffer)
  packet[0] = 0x80
  packet[1] = (options.marker === true ? 0x80 : 0) | (options.payloadType ?? 0)
  view.setUint16(2, options.sequence ?? 0)
  view.setUint32(4, options.timestamp ?? 0)
  view.setUint32(8, options.ssrc ?? 0xabcd)
  packet.set(payload, 12)
  return packet
}

export const fieldsOf = ({ bytes, at }: Sent) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  return {
    at,
    marker: bytes[1]! > 127,
    payloadType: bytes[1]! & 127,
    sequence: view.getUint16(2),
    timestamp: view.getUint32(4),
    ssrc: view.getUint32(8),
    payload: bytes.subarray(12),
  }
}

/** A far end of the virtual network, at a port of `home`. */
export class VirtualPeer {
  readonly port: number
  readonly media: VirtualMedia
  readonly session: string
  readonly address: number
  /** The session's. */
  to = 0
  sequence = 60_000
  timestamp = 4_294_900_000
  ssrc: number

  constructor(media: VirtualMedia, session: string, port: number, address = home) {
    this.media = media
    this.session = session
    this.port = port
    this.address = address
    this.ssrc = port * 7919
  }

  open(): this {
    this.media.do({ type: 'open', session: this.session })
    const opened = this.media.take('opened').at(-1)
    if (opened === undefined) throw new Error('not opened')
    this.to = opened.port
    return this
  }

  say(payload: Uint8Array, options: RtpOptions = {}, from = this.port, address = this.address): void {
    const { sequence = this.sequence, timestamp = this.timestamp } = options
    this.media.network.arrive(
      this.to,
      rtp(payload, { ssrc: this.ssrc, ...options, sequence, timestamp }),
      address,
      from,
    )
    this.sequence = (sequence + 1) & 0xffff
    this.timestamp = (timestamp + payload.length) >>> 0
  }

  /** RTP that was sent to this peer, from where it left off. */
  heard(port = this.port): ReturnType<typeof fieldsOf>[] {
    return this.media.network.sent.filter(sent => sent.port === port && sent.from === this.to).map(fieldsOf)
  }
}

/** A frame that is told from every other. */
export const frame = (n: number, length = 160): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (n * 31 + i * 7 + ((n * i) >> 3)) & 0xff)

export const agreed = (port: number, changes: Partial<Agreement> = {}): Agreement => ({
  remote: { address: '127.0.0.1', port, rtcpPort: port + 1 },
  send: true,
  receive: true,
  codec: 'PCMU',
  payloadType: 0,
  accept: [{ payloadType: 0, codec: 'PCMU' }],
  sendEvents: 101,
  acceptEvents: 101,
  ptimeMs: 20,
  ptimeAsked: false,
  ...changes,
})

/** Two far ends whose sessions are bridged. */
export const bridged = (
  changesA: Partial<Agreement> = {},
  changesB: Partial<Agreement> = {},
  media: VirtualMedia = new VirtualMedia(),
) => {
  const a = new VirtualPeer(media, 'a', 4000).open()
  const b = new VirtualPeer(media, 'b', 5000).open()
  media.do({ type: 'agree', session: 'a', agreement: agreed(4000, changesA), talk: true })
  media.do({ type: 'agree', session: 'b', agreement: agreed(5000, changesB), talk: true })
  media.do({ type: 'bridge', session: 'a', other: 'b' })
  return { media, a, b }
}
