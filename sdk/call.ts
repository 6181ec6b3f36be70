import { type EndReason, isOwnWill, type LocalCause, localEnd } from './base/end-reason.ts'
import { PhoneError } from './base/errors.ts'
import type { CallEvents } from './call-events.ts'
import type { CallServices, CallStart } from './call-services.ts'
import { CallSession } from './call-session.ts'
import { CallProgress, type CallState } from './call-state.ts'
import { checkDigits } from './digits.ts'
import { Emitter } from './events.ts'
import { microphoneCause } from './media/microphone.ts'
import { QualityMeter } from './media/quality-meter.ts'
import type { CallEvent, Party } from './signaling/services.ts'

export type CallDirection = 'inbound' | 'outbound'

/** @internal What a call uses of its phone, the report of its own changes included. */
export interface CallOwner extends CallServices {
  /** Its state, or whether it has early audio, changed: the ring tone may change too. */
  changed(call: Call): void
}

/** One call of a Phone. */
export class Call {
  /** Ours, in this page; `sid` is the switch's. */
  readonly id: string
  readonly direction: CallDirection
  readonly #services: CallOwner
  readonly #party: Party
  readonly #emitter: Emitter<CallEvents>
  readonly #session: CallSession
  readonly #meter: QualityMeter
  readonly #progress: CallProgress
  #sid: string | undefined
  #offer: string | undefined
  #hasEarlyAudio = false

  /** @internal Made by `Phone.call` and for the phone's `incoming` event. */
  constructor(services: CallOwner, start: CallStart) {
    this.#services = services
    this.id = start.id
    this.direction = start.direction
    this.#party = start.party
    this.#offer = start.sdp
    this.#sid = start.sid
    this.#progress = new CallProgress(start.direction === 'inbound' ? 'ringing' : 'trying', () =>
      services.changed(this),
    )
    this.#emitter = new Emitter((name, fault) => services.listenerFailed(`call.${String(name)}`, fault))
    this.#session = new CallSession(
      services,
      {
        id: this.id,
        isAccepted: () => this.state === 'accepted',
        held: isOnHold => {
          this.#emitter.emit(isOnHold ? 'hold' : 'unhold', undefined)
          services.changed(this)
        },
        reconnecting: () => this.#emitter.emit('reconnecting', undefined),
        reconnected: () => this.#emitter.emit('reconnected', undefined),
        lost: () => this.#hangUp('Media failed'),
      },
      start.direction === 'outbound',
    )
    this.#meter = new QualityMeter(
      () => this.#session.stats(),
      quality => this.#emitter.emit('quality', quality),
    )
  }

  /**
   * The switch's name of the call (`CA…`), as webhooks, events and records have it: of an inbound call from the start, of
   * an outbound one from the first of `ringing`, `accepted` and `failed` on.
   */
  get sid(): string | undefined {
    return this.#sid
  }

  get state(): CallState {
    return this.#progress.state
  }

  /** Number or extension of the other side. */
  get remoteIdentity(): string {
    return this.#party.user
  }

  /** Its display name; '' when none is known. */
  get remoteName(): string {
    return this.#party.displayName
  }

  get remoteUri(): string {
    return this.#party.uri
  }

  get isOnHold(): boolean {
    return this.#session.isHeld
  }

  get isMuted(): boolean {
    return this.#session.isMuted
  }

  /** Unix ms of the answer; undefined before. */
  get acceptedAt(): number | undefined {
    return this.#progress.acceptedUnix
  }

  get endReason(): EndReason | undefined {
    return this.#progress.endReason
  }

  /** Ringing with audio from the remote, so that no ringback of ours is wanted. */
  get hasEarlyAudio(): boolean {
    return this.#hasEarlyAudio
  }

  /** What the microphone gives to this call, and what comes from the remote, for meters and recorders. */
  get localStream(): MediaStream | undefined {
    return this.#session.local
  }

  get remoteStream(): MediaStream | undefined {
    return this.#session.remote
  }

  on<Name extends keyof CallEvents>(name: Name, listener: (value: CallEvents[Name]) => void): () => void {
    return this.#emitter.on(name, listener)
  }

  once<Name extends keyof CallEvents>(name: Name, listener: (value: CallEvents[Name]) => void): () => void {
    return this.#emitter.once(name, listener)
  }

  off<Name extends keyof CallEvents>(name: Name, listener: (value: CallEvents[Name]) => void): void {
    this.#emitter.off(name, listener)
  }

  /** Takes an inbound call; resolves when the answer is out. The call ends when the microphone is refused. */
  async answer(): Promise<void> {
    if (this.direction !== 'inbound' || this.state !== 'ringing')
      throw new PhoneError('call.state', `A call that is ${this.state} cannot be answered.`)
    this.#progress.enter('answering')
    const sdp = await this.#begin(this.#offer)
    if (sdp === undefined) throw new PhoneError('call.state', 'The call ended before it was answered.')
    this.#services.handle({ type: 'answer', id: this.id, sdp })
    this.#accepted()
  }

  /** Declines an inbound call as busy (486). */
  reject(): void {
    if (this.direction === 'inbound' && (this.state === 'ringing' || this.state === 'answering'))
      this.#hangUp('Rejected', 486)
    else throw new PhoneError('call.state', `A call that is ${this.state} cannot be rejected.`)
  }

  /** Ends the call, whatever its state: cancels, declines or hangs up. */
  hangup(): void {
    if (this.state === 'ended') return
    if (this.state === 'accepted') this.#hangUp('Hung up')
    else this.#hangUp(this.direction === 'inbound' ? 'Rejected' : 'Cancelled', 486)
  }

  /** Resolves when the remote has agreed. */
  hold(): Promise<void> {
    return this.#holdOrNot(true)
  }

  unhold(): Promise<void> {
    return this.#holdOrNot(false)
  }

  mute(): void {
    this.#setMuted(true)
  }

  unmute(): void {
    this.#setMuted(false)
  }

  /** Sends one digit or several (`0`–`9`, `A`–`D`, `*`, `#`; `,` = a pause of 2 s) as telephone-events of RFC 4733. */
  sendDigit(tone: string | number): void {
    const tones = checkDigits(tone)
    const isLive = this.state === 'accepted' || this.#hasEarlyAudio
    if (!isLive || !this.#session.sendDigits(tones))
      throw new PhoneError('call.state', `A call that is ${this.state} cannot send digits.`)
    if (tones.length === 1) this.#services.keyTone(tones)
  }

  /** @internal Dials. */
  async dial(uri: string, fields: readonly { readonly name: string; readonly value: string }[]): Promise<void> {
    const sdp = await this.#begin(undefined)
    if (sdp !== undefined) this.#services.handle({ type: 'dial', id: this.id, uri, sdp, fields })
  }

  /** @internal */
  handle(event: Exclude<CallEvent, { type: 'offered' }>): void {
    if (this.state === 'ended') return
    switch (event.type) {
      case 'named':
        this.#sid = event.sid
        break
      case 'ringing':
        this.#ringing()
        break
      case 'early':
        this.#session.early(event.sdp).then(
          () => {
            this.#hasEarlyAudio = true
            this.#ringing()
            this.#services.changed(this)
          },
          () => this.#ringing(),
        )
        break
      case 'answered':
        this.#session.accept(event.sdp).then(
          () => this.#accepted(),
          () => this.#hangUp('No common codec'),
        )
        break
      case 'confirmed':
        if (event.sdp !== undefined) this.#session.accept(event.sdp).catch(() => this.#hangUp('No common codec'))
        this.#session.settle()
        break
      case 'reoffered':
      case 'reoffer-answered':
      case 'reoffer-refused':
        this.#session.renegotiate(event)
        break
      case 'ended':
        this.#over(event.reason, event.wasOpen)
        break
      default:
        event satisfies never
    }
  }

  /** @internal The phone is registered again on a new connection. */
  lineRestored(): void {
    if (this.state === 'accepted') this.#session.lineRestored()
  }

  /** @internal */
  networkChanged(): void {
    if (this.state === 'accepted') this.#session.networkChanged()
  }

  /** @internal */
  replaceMicrophone(source: MediaStreamTrack): Promise<void> {
    return this.#session.replaceMicrophone(source)
  }

  /** Our first words; undefined when the call ended meanwhile, or ends because of it. */
  async #begin(offer: string | undefined): Promise<string | undefined> {
    try {
      const sdp = await this.#session.begin(offer)
      return this.state === 'ended' ? undefined : sdp
    } catch (fault) {
      const isMicrophone = fault instanceof PhoneError && fault.code === 'microphone'
      const detail = String(fault)
      this.#end(
        isMicrophone ? localEnd(microphoneCause(fault), 'device', detail) : localEnd('Media failed', 'local', detail),
        480,
      )
      return undefined
    }
  }

  #ringing(): void {
    if (this.#progress.enter('ringing')) this.#emitter.emit('ringing', undefined)
  }

  #accepted(): void {
    if (!this.#progress.enter('accepted')) return
    this.#meter.start()
    this.#emitter.emit('accepted', undefined)
    this.#session.settle()
  }

  async #holdOrNot(hold: boolean): Promise<void> {
    if (this.state !== 'accepted')
      throw new PhoneError('call.state', `A call that is ${this.state} cannot be put on hold or taken back.`)
    await this.#session.hold(hold)
  }

  #setMuted(isMuted: boolean): void {
    if (this.isMuted === isMuted || this.state === 'ended') return
    this.#session.mute(isMuted)
    this.#emitter.emit(isMuted ? 'muted' : 'unmuted', undefined)
  }

  #hangUp(cause: LocalCause, status?: number): void {
    this.#end(localEnd(cause, cause === 'Media failed' ? 'network' : 'local'), status)
  }

  #end(reason: EndReason, status: number | undefined): void {
    this.#services.handle({ type: 'end', id: this.id, reason, status })
    // Nothing may have been dialled yet.
    this.#over(reason, this.state === 'accepted')
  }

  #over(reason: EndReason, wasOpen: boolean): void {
    if (this.state === 'ended') return
    this.#progress.endReason = reason
    this.#meter.stop()
    this.#session.close()
    this.#progress.enter('ended')
    this.#emitter.emit(wasOpen || isOwnWill(reason) ? 'ended' : 'failed', reason)
  }
}
