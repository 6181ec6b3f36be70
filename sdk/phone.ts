import { localEnd } from './base/end-reason.ts'
import { PhoneError } from './base/errors.ts'
import type { CallOwner } from './call.ts'
import { Call } from './call.ts'
import { type CustomPayload, customPayloadHeader, formatCustomPayload } from './custom-payload.ts'
import { uriOfDestination } from './destination.ts'
import type { Engine } from './engine.ts'
import { Emitter } from './events.ts'
import { type IceServer, toRtcIceServers } from './ice-servers.ts'
import { type Log, openLog } from './log.ts'
import { type AudioDevices, listAudioDevices } from './media/devices.ts'
import { Microphone } from './media/microphone.ts'
import { Speaker } from './media/speaker.ts'
import { Tones } from './media/tones.ts'
import { type CheckedOptions, checkOptions, type PhoneOptions } from './options.ts'
import { watchPage } from './page-watch.ts'
import type { PhoneEvents } from './phone-events.ts'
import { Ringing } from './ringing.ts'
import { requireSecureContext } from './secure-context.ts'
import { type Account, SignIn } from './sign-in.ts'
import type { CallEvent } from './signaling/services.ts'
import { decodeToken } from './token.ts'

export interface Credentials {
  readonly token: string
  readonly iceServers?: readonly IceServer[]
}

export interface CallOptions {
  /** At most 500 characters without newlines; an object travels as JSON. */
  readonly customPayload?: CustomPayload
}

/** A softphone in a page: signs in with a phone token, places and takes calls. */
export class Phone {
  readonly #options: CheckedOptions
  readonly #log: Log
  readonly #emitter: Emitter<PhoneEvents>
  readonly #microphone: Microphone
  readonly #speaker = new Speaker()
  readonly #tones: Tones | undefined
  readonly #ringing: Ringing
  readonly #calls = new Map<string, Call>()
  #iceServers: readonly IceServer[]
  #signIn: SignIn | undefined
  #unwatch: (() => void) | undefined

  /** Throws a PhoneError: `insecure-context` on a page without HTTPS, `option.invalid` for a bad option. */
  constructor(options: PhoneOptions = {}) {
    requireSecureContext()
    this.#options = checkOptions(options)
    this.#log = openLog(this.#options.logLevel, this.#options.onLog)
    this.#iceServers = this.#options.iceServers
    this.#emitter = new Emitter((name, fault) => this.#log.error(`a listener of ${String(name)} failed`, fault))
    this.#microphone = new Microphone(source => {
      for (const call of this.#calls.values())
        call.replaceMicrophone(source).catch(fault => this.#log.error('the microphone could not be changed', fault))
    })
    this.#tones = this.#options.tones ? new Tones() : undefined
    this.#ringing = new Ringing(this.#tones)
  }

  /** Extension of the token in use; undefined when signed out. */
  get extension(): string | undefined {
    return this.#active()?.account.claims.ext
  }

  /** The end-user's own name, as the switch knows it; '' for none, and when signed out. */
  get displayName(): string {
    return this.#active()?.displayName ?? ''
  }

  /** The account's uuid; undefined when signed out. */
  get account(): string | undefined {
    return this.#active()?.account.claims.acc
  }

  get isRegistered(): boolean {
    return this.#signIn?.isRegistered === true
  }

  /** Whether the WebSocket stands. */
  get isConnected(): boolean {
    return this.#signIn?.engine.isUp === true
  }

  /** Calls that have not ended. */
  get calls(): readonly Call[] {
    return [...this.#calls.values()]
  }

  get volume(): number {
    return this.#speaker.volume
  }

  on<Name extends keyof PhoneEvents>(name: Name, listener: (value: PhoneEvents[Name]) => void): () => void {
    return this.#emitter.on(name, listener)
  }

  once<Name extends keyof PhoneEvents>(name: Name, listener: (value: PhoneEvents[Name]) => void): () => void {
    return this.#emitter.once(name, listener)
  }

  off<Name extends keyof PhoneEvents>(name: Name, listener: (value: PhoneEvents[Name]) => void): void {
    this.#emitter.off(name, listener)
  }

  /**
   * Signs in. Resolves when the switch has registered the phone; rejects with a PhoneError when the token is none, has
   * expired or is refused, or when the switch cannot be reached. With a new token of the same extension it renews the
   * sign-in, and live calls go on.
   */
  async authenticate(credentials: string | Credentials): Promise<void> {
    const { token, iceServers } = typeof credentials === 'string' ? { token: credentials } : credentials
    const claims = decodeToken(token)
    const realm = this.#options.realm ?? claims.iss
    const url = this.#options.wssUrl ?? `wss://${realm}/sip`
    const account: Account = { token: token.trim(), claims, url, realm }
    this.#iceServers = iceServers !== undefined && iceServers.length > 0 ? iceServers : this.#options.iceServers
    if (this.#signIn?.isFor(account) === true) return this.#signIn.register(account)
    this.#dismantle()
    return this.#assemble(account).register(account)
  }

  /**
   * Calls an extension, a number or a SIP URI. Throws a PhoneError for what cannot be dialled and when not signed in;
   * the call's events report everything later.
   */
  call(destination: string, options: CallOptions = {}): Call {
    const signIn = this.#active()
    if (signIn?.state !== 'proven') throw new PhoneError('not-signed-in', 'Sign in with authenticate() before calling.')
    const uri = uriOfDestination(destination, signIn.account.realm)
    const payload = options.customPayload === undefined ? '' : formatCustomPayload(options.customPayload)
    const fields = payload === '' ? [] : [{ name: customPayloadHeader, value: payload }]
    const user =
      destination
        .trim()
        .replace(/^sips?:/i, '')
        .split('@', 1)[0] ?? ''
    const party = { user, displayName: '', uri }
    const call = new Call(this.#seat(signIn.engine), { id: crypto.randomUUID(), direction: 'outbound', party })
    this.#calls.set(call.id, call)
    call.dial(uri, fields).catch(fault => this.#log.error('dialling failed', fault))
    return call
  }

  /** Signs out; live calls go on. Resolves when the switch has confirmed, or after three seconds. */
  unregister(): Promise<void> {
    return this.#signIn?.leave(localEnd('Signed out', 'local')) ?? Promise.resolve()
  }

  /** Labels are empty until the person has let the page use the microphone. */
  listDevices(): Promise<AudioDevices> {
    return listAudioDevices()
  }

  /** The microphone of live and later calls; '' or `default` is the system's. */
  setInputDevice(id: string): Promise<void> {
    return this.#microphone.use(id)
  }

  /** Where live and later calls, and the tones, are played. */
  async setOutputDevice(id: string): Promise<void> {
    await this.#speaker.use(id)
    this.#tones?.use(this.#speaker.deviceId)
  }

  /** 0 to 1, of calls and tones. */
  setVolume(volume: number): void {
    this.#speaker.setVolume(volume)
    this.#tones?.setVolume(volume)
  }

  /** The sign-in, unless it is being left. */
  #active(): SignIn | undefined {
    return this.#signIn?.state === 'leaving' ? undefined : this.#signIn
  }

  #assemble(account: Account): SignIn {
    const tell = this.#emitter
    const signIn = new SignIn(account, this.#log, {
      connected: () => tell.emit('connected', undefined),
      disconnected: (detail, willRetry) => tell.emit('disconnected', { detail, willRetry }),
      registered: () => {
        this.#log.info('registered', account.claims.ext)
        tell.emit('registered', undefined)
        for (const call of this.#calls.values()) call.lineRestored()
      },
      registrationFailed: reason => {
        this.#log.error('registration failed', reason)
        if (signIn.state === 'closed') this.#forget(signIn)
        tell.emit('registrationFailed', reason)
      },
      unregistered: reason => {
        this.#log.info('unregistered', reason.cause)
        this.#closeWhenIdle()
        tell.emit('unregistered', reason)
      },
      tokenWillExpire: secondsLeft => tell.emit('tokenWillExpire', { secondsLeft }),
      call: event => this.#callEvent(signIn.engine, event),
    })
    this.#signIn = signIn
    this.#unwatch = watchPage({
      networkChanged: () => {
        signIn.engine.wake()
        for (const call of this.#calls.values()) call.networkChanged()
      },
      woke: () => signIn.engine.wake(),
      leaving: () => {
        for (const call of this.calls) call.hangup()
        signIn.leave(localEnd('Signed out', 'local'))
      },
      devicesChanged: () => tell.emit('devicesChanged', undefined),
    })
    return signIn
  }

  #dismantle(): void {
    for (const call of this.calls) call.hangup()
    this.#signIn?.close()
    if (this.#signIn !== undefined) this.#forget(this.#signIn)
  }

  #forget(signIn: SignIn): void {
    if (this.#signIn !== signIn) return
    this.#signIn = undefined
    this.#unwatch?.()
    this.#unwatch = undefined
  }

  /** After signing out the line stands as long as a call needs it for its BYE. */
  #closeWhenIdle(): void {
    if (this.#signIn?.state === 'leaving' && this.#calls.size === 0) this.#dismantle()
  }

  #callEvent(engine: Engine, event: CallEvent): void {
    if (event.type !== 'offered') {
      this.#calls.get(event.id)?.handle(event)
      return
    }
    const { id, from: party, sid, sdp } = event
    const call = new Call(this.#seat(engine), { id, direction: 'inbound', party, sid, sdp })
    this.#calls.set(id, call)
    this.#ringing.update(this.#calls.values(), call)
    this.#emitter.emit('incoming', call)
  }

  #seat(engine: Engine): CallOwner {
    return {
      media: {
        iceServers: toRtcIceServers(this.#iceServers),
        gatheringTimeoutMs: this.#options.iceGatheringTimeoutMs,
      },
      handle: input => engine.handle(input),
      isReady: () => engine.isReady,
      doubtLine: () => engine.wake(),
      takeMicrophone: () => this.#microphone.take(),
      giveBackMicrophone: track => this.#microphone.giveBack(track),
      openSpeaker: stream => this.#speaker.open(stream),
      closeSpeaker: element => this.#speaker.close(element),
      keyTone: tone => this.#tones?.key(tone),
      listenerFailed: (name, fault) => this.#log.error(`a listener of ${name} failed`, fault),
      changed: call => {
        if (call.state === 'ended') {
          this.#calls.delete(call.id)
          this.#closeWhenIdle()
        }
        this.#ringing.update(this.#calls.values(), call)
      },
    }
  }
}
