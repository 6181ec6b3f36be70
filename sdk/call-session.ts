import { PhoneError } from './base/errors.ts'
import { CallAudio } from './call-audio.ts'
import type { CallServices } from './call-services.ts'
import type { PeerMedia } from './media/peer-connection.ts'
import { Recovery } from './recovery.ts'
import { Renegotiation } from './renegotiation.ts'
import type { CallEvent } from './signaling/services.ts'

type ReofferEvent = Extract<CallEvent, { type: 'reoffered' | 'reoffer-answered' | 'reoffer-refused' }>

interface CallSessionPorts {
  readonly id: string
  /** Both sides have agreed: the session may change. */
  isAccepted(): boolean
  held(isOnHold: boolean): void
  reconnecting(): void
  reconnected(): void
  /** No audio path is left, and none was found in time. */
  lost(): void
}

/** The media session of a call: its audio, what is negotiated again of it, and how it recovers. */
export class CallSession {
  readonly #services: CallServices
  readonly #ports: CallSessionPorts
  readonly #audio: CallAudio
  readonly #renegotiation: Renegotiation
  readonly #recovery: Recovery
  #isMuted = false

  constructor(services: CallServices, ports: CallSessionPorts, weCalled: boolean) {
    this.#services = services
    this.#ports = ports
    this.#renegotiation = new Renegotiation(
      {
        offer: wish => this.#live().offer(wish),
        accept: sdp => this.#live().accept(sdp),
        rollBack: hold => this.#live().rollBack(hold),
        send: sdp => services.handle({ type: 'reoffer', id: ports.id, sdp }),
        isReady: () => ports.isAccepted() && services.isReady(),
        held: isOnHold => {
          this.#silence()
          ports.held(isOnHold)
        },
        restartRefused: () => this.#giveUp(),
      },
      weCalled,
    )
    this.#recovery = new Recovery({
      restart: () => this.#renegotiation.restart(),
      began: () => ports.reconnecting(),
      succeeded: () => ports.reconnected(),
      gaveUp: () => this.#giveUp(),
    })
    this.#audio = new CallAudio(services, {
      connected: () => this.#recovery.done(),
      faltering: () => this.#recover(),
      failed: () => this.#recover(),
      moved: () => services.doubtLine(),
    })
  }

  get isHeld(): boolean {
    return this.#renegotiation.isHeld
  }

  get isMuted(): boolean {
    return this.#isMuted
  }

  get local(): MediaStream | undefined {
    return this.#audio.media?.local
  }

  get remote(): MediaStream | undefined {
    return this.#audio.media?.remote
  }

  /** Our first words: an offer, or the answer to `offer`. Undefined when the call was closed meanwhile. */
  async begin(offer?: string): Promise<string | undefined> {
    const media = await this.#audio.open()
    if (media === undefined) return undefined
    return offer === undefined ? media.offer({ hold: false, restart: false }) : media.answer(offer)
  }

  /** Audio before the answer. Rejects when the browser cannot take it. */
  early(sdp: string): Promise<void> {
    return this.#audio.media?.early(sdp) ?? Promise.resolve()
  }

  /** Their answer to our first offer. Rejects when there is nothing in common. */
  async accept(sdp: string): Promise<void> {
    await this.#live().accept(sdp)
  }

  /** What comes of re-INVITEs, theirs and ours. */
  renegotiate(event: ReofferEvent): void {
    switch (event.type) {
      case 'reoffered':
        this.#reoffered(event.sdp)
        break
      case 'reoffer-answered':
        this.#renegotiation.answered(event.sdp)
        break
      case 'reoffer-refused':
        this.#renegotiation.refused(event.status)
        break
      default:
        event satisfies never
    }
  }

  /** Whatever was wished for while it could not be said is said now. */
  settle(): void {
    this.#renegotiation.settle()
  }

  /** Resolves when the remote has agreed; rejects with a PhoneError. */
  async hold(isOnHold: boolean): Promise<void> {
    try {
      await this.#renegotiation.hold(isOnHold)
    } catch (status) {
      const words = isOnHold ? 'put on hold' : 'taken back'
      throw new PhoneError('call.hold-refused', `The call could not be ${words}.`, { status: Number(status) })
    }
  }

  mute(isMuted: boolean): void {
    this.#isMuted = isMuted
    this.#silence()
  }

  /** The phone is registered again on a new connection. */
  lineRestored(): void {
    if (this.#audio.isConnected && !this.#recovery.isRunning) this.#renegotiation.refresh()
    else this.#renegotiation.restart()
  }

  /** The browser has another network: its old addresses are worth nothing. */
  networkChanged(): void {
    if (this.#audio.isConnected) this.#renegotiation.restart()
    else this.#recover()
  }

  /** False: no digits can be sent. */
  sendDigits(tones: string): boolean {
    return this.#audio.media?.sendDigits(tones) === true
  }

  replaceMicrophone(source: MediaStreamTrack): Promise<void> {
    return this.#audio.replaceMicrophone(source)
  }

  stats(): Promise<RTCStatsReport> {
    return this.#live().stats()
  }

  close(): void {
    this.#recovery.stop()
    this.#renegotiation.close()
    this.#audio.close()
  }

  /** An offer of theirs within the call; undefined: they want ours. */
  #reoffered(sdp: string | undefined): void {
    const { id } = this.#ports
    const media = this.#audio.media
    // Between our offer and its re-INVITE theirs would overwrite it: as if both had met on the way.
    if (media === undefined || this.#renegotiation.isOpen) {
      this.#services.handle({ type: 'refuse-reoffer', id, status: 491 })
      return
    }
    const described = sdp === undefined ? media.offer({ hold: this.isHeld, restart: false }) : media.answer(sdp)
    described.then(
      answer => this.#services.handle({ type: 'reanswer', id, sdp: answer }),
      () => this.#services.handle({ type: 'refuse-reoffer', id, status: 488 }),
    )
  }

  #silence(): void {
    this.#audio.silence(this.#isMuted || this.isHeld)
  }

  #live(): PeerMedia {
    if (this.#audio.media === undefined) throw new PhoneError('call.state', 'The call has no media.')
    return this.#audio.media
  }

  #recover(): void {
    if (!this.#ports.isAccepted()) return
    this.#services.doubtLine()
    this.#recovery.begin()
  }

  #giveUp(): void {
    if (!this.#audio.isConnected) this.#ports.lost()
  }
}
