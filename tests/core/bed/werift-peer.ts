import { MediaStreamTrack, RTCPeerConnection, RTCRtpCodecParameters, RtpHeader, RtpPacket } from 'werift'
import { sleep } from '../../rtp/bed/media-peer.ts'

export type PeerCodec = 'PCMU' | 'PCMA' | 'opus'

const parameters: Readonly<Record<PeerCodec, RTCRtpCodecParameters>> = {
  PCMU: new RTCRtpCodecParameters({ mimeType: 'audio/PCMU', clockRate: 8000, channels: 1, payloadType: 0 }),
  PCMA: new RTCRtpCodecParameters({ mimeType: 'audio/PCMA', clockRate: 8000, channels: 1, payloadType: 8 }),
  opus: new RTCRtpCodecParameters({ mimeType: 'audio/opus', clockRate: 48_000, channels: 2, payloadType: 96 }),
}

/** werift's RTCPeerConnection as a browser: it sends payloads and keeps those that it receives. */
export class WeriftPeer {
  readonly pc: RTCPeerConnection
  readonly received: { readonly payload: Buffer; readonly payloadType: number; readonly sequence: number }[] = []
  readonly #track = new MediaStreamTrack({ kind: 'audio' })
  #sequence = 7
  #timestamp = 4000

  constructor(codecs: readonly PeerCodec[] = ['PCMU']) {
    this.pc = new RTCPeerConnection({
      codecs: { audio: codecs.map(name => parameters[name]) },
      iceServers: [],
      iceAdditionalHostAddresses: ['127.0.0.1'],
    })
    this.pc.onTrack.subscribe(track => {
      track.onReceiveRtp.subscribe(({ header, payload }) => {
        this.received.push({ payload, payloadType: header.payloadType, sequence: header.sequenceNumber })
      })
    })
    this.pc.addTransceiver(this.#track, { direction: 'sendrecv' })
  }

  async offer(): Promise<string> {
    await this.pc.setLocalDescription(await this.pc.createOffer())
    return this.#gathered()
  }

  async answer(offer: string): Promise<string> {
    await this.pc.setRemoteDescription({ type: 'offer', sdp: offer })
    await this.pc.setLocalDescription(await this.pc.createAnswer())
    return this.#gathered()
  }

  async accept(answer: string): Promise<void> {
    await this.pc.setRemoteDescription({ type: 'answer', sdp: answer })
  }

  async connected(): Promise<void> {
    for (let i = 0; i < 300 && this.pc.connectionState !== 'connected'; i++) await sleep(10)
    if (this.pc.connectionState !== 'connected') throw new Error(`the peer is ${this.pc.connectionState}`)
  }

  say(payload: Uint8Array, payloadType = 0, samples = payload.length): void {
    const header = new RtpHeader({
      payloadType,
      sequenceNumber: this.#sequence,
      timestamp: this.#timestamp,
      ssrc: 0x5151,
    })
    this.#sequence = (this.#sequence + 1) & 0xffff
    this.#timestamp = (this.#timestamp + samples) >>> 0
    this.#track.writeRtp(new RtpPacket(header, Buffer.from(payload)))
  }

  /** G.711 in real time. */
  async speak(bytes: Uint8Array, payloadType = 0): Promise<void> {
    const began = performance.now()
    for (let at = 0; at < bytes.length; at += 160) {
      this.say(bytes.subarray(at, at + 160), payloadType)
      await sleep(Math.max(0, began + at / 8 + 20 - performance.now()))
    }
  }

  get audio(): Buffer {
    return Buffer.concat(this.received.map(({ payload }) => payload))
  }

  async close(): Promise<void> {
    await this.pc.close()
  }

  async #gathered(): Promise<string> {
    for (let i = 0; i < 200 && this.pc.iceGatheringState !== 'complete'; i++) await sleep(10)
    return this.pc.localDescription?.sdp ?? ''
  }
}
