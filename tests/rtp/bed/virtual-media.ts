import type { OpusCoders } from '../../../rtp/codec/opus.ts'
import { StreamEncoder } from '../../../rtp/codec/stream-encoder.ts'
import type { EngineCommand } from '../../../rtp/contract/command.ts'
import type { EngineEvent } from '../../../rtp/contract/event.ts'
import type { Prompt, PromptFault } from '../../../rtp/contract/prompts.ts'
import { MediaEngine } from '../../../rtp/engine/engine.ts'
import type { EngineConfig } from '../../../rtp/engine/environment.ts'
import { resample } from '../../../rtp/resample/resampler.ts'
import { VirtualNetwork } from './virtual-network.ts'

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
  /** Ports that were reported as ready. */
  readonly ready: number[] = []
  /** Events that sessions reported in between. */
  readonly reported: Extract<EngineEvent, { readonly type: 'stats' }>[] = []
  readonly prompts = new Map<string, Prompt | PromptFault>()
  readonly recordings = new Map<string, Recording>()
  readonly engine: MediaEngine
  now = 1000
  tickMs = 5
  /** By how much the next tick comes late. */
  lateMs = (): number => 0
  /** Time that passes while we make a packet. */
  packetMs = (): number => 0
  /** Time that passes while a recording is written. */
  writeMs = 0
  /** When a tick was moved to the next one's time. */
  readonly fellBehind: number[] = []
  /** When prompts are reported, that have been read. */
  promptRead = (tell: () => void): void => tell()
  #seed: number

  constructor(config: Partial<EngineConfig> = {}, seed = 7, opus: OpusCoders = noOpus) {
    this.#seed = seed
    this.network.slotTaken = () => {
      this.#pass(this.packetMs())
    }
    this.engine = new MediaEngine(
      { ports: [30_000, 30_099], ...config },
      {
        network: this.network,
        prompts: {
          load: (path, codec, _loop, done) =>
            this.promptRead(() => done(this.prompts.get(`${path} ${codec}`) ?? this.prompts.get(path) ?? 'unreadable')),
          follow: (path, codec, _loop, done) =>
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
              write: (pcm, from, count) => {
                recording.samples.push(...pcm.subarray(from, from + count))
                this.#pass(this.writeMs)
              },
              close: (samples, done) => {
                recording.samples.length = Math.min(samples, recording.samples.length)
                recording.closed = true
                done(44 + 2 * recording.samples.length, false)
              },
            }
          },
        },
        emit: event => {
          if (event.type === 'stats') this.reported.push(event)
          else this.events.push(event)
        },
        ready: ports => this.ready.push(...ports),
        now: () => this.now,
        random: () => this.random(),
        unixMs: now => 1_800_000_000_000 + now,
        overran: now => this.fellBehind.push(now),
      },
    )
  }

  random(): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0
    return this.#seed / 0x1_0000_0000
  }

  #pass(ms: number): void {
    this.now += ms
    this.network.now = this.now
  }

  /** As the thread does with each command. */
  do(command: EngineCommand): void {
    this.engine.execute(command, this.now)
    this.network.flush()
  }

  /** Virtual milliseconds go by; `each` is called before every tick. */
  run(ms: number, each?: (now: number) => void): void {
    const until = this.now + ms
    for (let due = this.now + this.tickMs; due < until + this.tickMs; due += this.tickMs) {
      this.now = due + this.lateMs()
      this.network.now = this.now
      each?.(due)
      this.engine.tick(this.now, due)
      this.now = due
    }
  }

  take<Type extends EngineEvent['type']>(type: Type): Extract<EngineEvent, { readonly type: Type }>[] {
    const taken = this.events.filter(event => event.type === type)
    this.events.splice(0, this.events.length, ...this.events.filter(event => event.type !== type))
    return taken as Extract<EngineEvent, { readonly type: Type }>[]
  }
}
