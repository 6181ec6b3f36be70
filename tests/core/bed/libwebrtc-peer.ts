import { createRequire } from 'node:module'
import { sleep } from '../../rtp/bed/media-peer.ts'

// The package's types need the DOM's: what is used of it stands here.
interface Samples {
  readonly samples: Int16Array
  readonly sampleRate: number
}
interface Track {
  stop(): void
}
interface Transceiver {
  readonly receiver: { readonly track: Track }
}
interface PeerConnection {
  readonly connectionState: string
  readonly iceGatheringState: string
  readonly localDescription: { readonly sdp: string } | null
  getTransceivers(): Transceiver[]
  addTrack(track: Track): object
  createOffer(options?: { iceRestart?: boolean }): Promise<object>
  createAnswer(): Promise<object>
  setLocalDescription(description: object): Promise<void>
  setRemoteDescription(description: object): Promise<void>
  close(): void
}
interface LibWebrtc {
  readonly RTCPeerConnection: new (configuration?: object) => PeerConnection
  readonly nonstandard: {
    readonly RTCAudioSource: new () => {
      createTrack(): Track
      onData(data: object): void
    }
    readonly RTCAudioSink: new (track: Track) => { ondata: ((data: Samples) => void) | null; stop(): void }
  }
}

const load = (): LibWebrtc | undefined => {
  try {
    return createRequire(import.meta.url)('@roamhq/wrtc') as LibWebrtc
  } catch {
    return undefined
  }
}
/** Undefined where its binary does not run. */
export const libWebrtc = load()

const sampleRate = 48_000
const frameSamples = sampleRate / 100

/** libwebrtc, the engine of Chromium, as a browser: it sends a tone and keeps the samples that it receives. */
export class LibWebrtcPeer {
  readonly pc: PeerConnection
  /** Samples received since it was last emptied. */
  received: number[] = []
  receivedRate = 0
  readonly #source: InstanceType<LibWebrtc['nonstandard']['RTCAudioSource']>
  readonly #lib: LibWebrtc
  #sink: { stop(): void } | undefined
  #timer: ReturnType<typeof setInterval> | undefined
  #at = 0

  constructor(lib: LibWebrtc) {
    this.#lib = lib
    this.pc = new lib.RTCPeerConnection({ iceServers: [] })
    this.#source = new lib.nonstandard.RTCAudioSource()
    // Not addTransceiver: what that makes does not answer an offer (RFC 8829 §5.10).
    this.pc.addTrack(this.#source.createTrack())
    for (const { receiver } of this.pc.getTransceivers()) this.#hear(receiver.track)
  }

  async offer(options: { iceRestart?: boolean } = {}): Promise<string> {
    await this.pc.setLocalDescription(await this.pc.createOffer(options))
    return this.#gathered()
  }

  async accept(sdp: string): Promise<void> {
    await this.pc.setRemoteDescription({ type: 'answer', sdp })
  }

  async answer(sdp: string): Promise<string> {
    await this.pc.setRemoteDescription({ type: 'offer', sdp })
    await this.pc.setLocalDescription(await this.pc.createAnswer())
    return this.#gathered()
  }

  async connected(): Promise<void> {
    for (let i = 0; i < 500 && this.pc.connectionState !== 'connected'; i++) await sleep(10)
    if (this.pc.connectionState !== 'connected') throw new Error(`the peer is ${this.pc.connectionState}`)
  }

  /** Says a tone from now on, in real time. */
  hum(hz: number): void {
    const began = performance.now()
    const sent = this.#at
    clearInterval(this.#timer)
    this.#timer = setInterval(() => {
      while (this.#at < sent + (performance.now() - began) * (sampleRate / 1000)) {
        const samples = Int16Array.from(
          { length: frameSamples },
          (_, i) => 8000 * Math.sin((2 * Math.PI * hz * (this.#at + i)) / sampleRate),
        )
        this.#at += frameSamples
        this.#source.onData({
          samples,
          sampleRate,
          bitsPerSample: 16,
          channelCount: 1,
          numberOfFrames: frameSamples,
        })
      }
    }, 5)
  }

  close(): void {
    clearInterval(this.#timer)
    this.#sink?.stop()
    this.pc.close()
  }

  #hear(track: Track): void {
    const sink = new this.#lib.nonstandard.RTCAudioSink(track)
    this.#sink = sink
    sink.ondata = ({ samples, sampleRate: rate }) => {
      this.receivedRate = rate
      for (const sample of samples) this.received.push(sample)
    }
  }

  async #gathered(): Promise<string> {
    for (let i = 0; i < 300 && this.pc.iceGatheringState !== 'complete'; i++) await sleep(10)
    return this.pc.localDescription?.sdp ?? ''
  }
}

/** How much of the samples' power is at that frequency, 0 to 1. */
export const shareAt = (samples: readonly number[], rate: number, hz: number): number => {
  let re = 0
  let im = 0
  let power = 0
  samples.forEach((sample, i) => {
    re += sample * Math.cos((2 * Math.PI * hz * i) / rate)
    im += sample * Math.sin((2 * Math.PI * hz * i) / rate)
    power += sample * sample
  })
  return power === 0 ? 0 : (2 * (re * re + im * im)) / (samples.length * power)
}
