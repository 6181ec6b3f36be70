import { gathered } from './gathering.ts'

export interface MediaSettings {
  readonly iceServers: RTCIceServer[]
  /** 0 = wait for all candidates. */
  readonly gatheringTimeoutMs: number
}

export interface MediaEvents {
  connected(): void
  /** No media has come through for some seconds; it may recover by itself, or by an ICE restart. */
  faltering(): void
  failed(): void
  /** Another path than before is in use, as after a change of the network. */
  moved(): void
}

const falteringAfterMs = 2_500
// 100 ms a digit, 70 ms between (RFC 4733 §2.5.1.1; 40 ms is the least that receivers must take).
const toneMs = 120
const gapMs = 80

/** The call's one audio section in an RTCPeerConnection: whole offers and answers, no trickle. */
export class PeerMedia {
  readonly local = new MediaStream()
  readonly remote = new MediaStream()
  readonly #connection: RTCPeerConnection
  readonly #settings: MediaSettings
  readonly #sender: RTCRtpSender
  #faltering: ReturnType<typeof setTimeout> | undefined
  /** Work on the connection, one thing after another. */
  #last: Promise<unknown> = Promise.resolve()
  #early: string | undefined

  constructor(track: MediaStreamTrack, settings: MediaSettings, events: MediaEvents) {
    this.#settings = settings
    const connection = new RTCPeerConnection({ iceServers: settings.iceServers, bundlePolicy: 'max-bundle' })
    this.#connection = connection
    this.local.addTrack(track)
    this.#sender = connection.addTrack(track, this.local)
    connection.ontrack = ({ track }) => {
      for (const old of this.remote.getTracks()) this.remote.removeTrack(old)
      this.remote.addTrack(track)
    }
    connection.onconnectionstatechange = () => {
      clearTimeout(this.#faltering)
      const { connectionState: state } = connection
      if (state === 'connected') {
        // Before the first offer there is none to listen to.
        const ice = this.#sender.transport?.iceTransport
        if (ice !== undefined) ice.onselectedcandidatepairchange = () => events.moved()
        events.connected()
      }
      if (state === 'failed') events.failed()
      else if (state === 'disconnected') this.#faltering = setTimeout(() => events.faltering(), falteringAfterMs)
    }
  }

  get isConnected(): boolean {
    return this.#connection.connectionState === 'connected'
  }

  offer(wish: { readonly hold: boolean; readonly restart: boolean }): Promise<string> {
    return this.#next(async () => {
      this.#direct(wish.hold)
      await this.#connection.setLocalDescription(await this.#connection.createOffer({ iceRestart: wish.restart }))
      return this.#description()
    })
  }

  answer(offer: string): Promise<string> {
    return this.#next(async () => {
      await this.#connection.setRemoteDescription({ type: 'offer', sdp: offer })
      await this.#connection.setLocalDescription(await this.#connection.createAnswer())
      return this.#description()
    })
  }

  /** Audio before the answer: a provisional one, which the final answer may replace (RFC 3261 §13.2.1). */
  early(sdp: string): Promise<void> {
    return this.#next(async () => {
      if (this.#early === sdp || this.#connection.signalingState === 'stable') return
      await this.#connection.setRemoteDescription({ type: 'pranswer', sdp })
      this.#early = sdp
    })
  }

  accept(answer: string): Promise<void> {
    return this.#next(async () => {
      if (this.#connection.signalingState === 'stable') return
      await this.#connection.setRemoteDescription({ type: 'answer', sdp: answer })
    })
  }

  /** Our offer was refused: back to what was agreed. */
  rollBack(hold: boolean): Promise<void> {
    return this.#next(async () => {
      this.#direct(hold)
      if (this.#connection.signalingState === 'have-local-offer')
        await this.#connection.setLocalDescription({ type: 'rollback' })
    })
  }

  /** Another microphone. The old track is stopped first: the connection may be closed before it has taken the new one. */
  replaceTrack(track: MediaStreamTrack): Promise<void> {
    for (const old of this.local.getTracks()) {
      this.local.removeTrack(old)
      old.stop()
    }
    this.local.addTrack(track)
    return this.#sender.replaceTrack(track)
  }

  /** False: the remote takes no telephone-events. Digits queue after those that are still being sent. */
  sendDigits(tones: string): boolean {
    const { dtmf } = this.#sender
    if (!dtmf?.canInsertDTMF) return false
    dtmf.insertDTMF(dtmf.toneBuffer + tones, toneMs, gapMs)
    return true
  }

  stats(): Promise<RTCStatsReport> {
    return this.#connection.getStats()
  }

  close(): void {
    clearTimeout(this.#faltering)
    this.#connection.ontrack = null
    this.#connection.onconnectionstatechange = null
    this.#connection.close()
  }

  #direct(hold: boolean): void {
    // RFC 3264 §8.4: on hold we go on sending (silence) and ask the remote to stop.
    const [transceiver] = this.#connection.getTransceivers()
    if (transceiver !== undefined) transceiver.direction = hold ? 'sendonly' : 'sendrecv'
  }

  async #description(): Promise<string> {
    await gathered(this.#connection, this.#settings.gatheringTimeoutMs)
    return this.#connection.localDescription?.sdp ?? ''
  }

  #next<Value>(work: () => Promise<Value>): Promise<Value> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => {})
    return result
  }
}
