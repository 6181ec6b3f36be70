import type { Hops } from '../contract/hops.ts'
import type { LegDump } from '../model/call-dump.ts'
import type { LegRecord } from '../model/call-record.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { LegUuid } from '../model/ids.ts'
import type { LegMediaStats } from '../model/leg-quality.ts'
import type { CodecName, TrunkMediaSource } from '../model/trunk.ts'
import type { MediaSources, SdpWarning, SrtpWish } from '../ports/media.ts'
import type { LegTarget, SignalingCommand } from '../ports/signaling.ts'
import type { LegHost } from './leg-host.ts'
import { type LegInput, type LegState, legTable, type MediaState } from './leg-states.ts'

export interface LegOptions {
  readonly uuid: LegUuid
  readonly role: LegRecord['role']
  readonly direction: LegRecord['direction']
  readonly trunkName: string
  readonly number: string
  readonly codecs: readonly CodecName[]
  /** Offered first where `codecs` is empty. */
  readonly prefer?: readonly CodecName[]
  /** A caller's offer; undefined when it is delayed. */
  readonly offer?: string
  /** The remote is another leg of this switch. Default: so it is when the direction is on-net. */
  readonly isLoop?: boolean
  /** A browser is dialled. */
  readonly isBrowser?: boolean
  /** The host that will be dialled. */
  readonly toward?: string
  /** Whether its packets are protected by keys in SDP. Default `off`. */
  readonly srtp?: SrtpWish
  /** The address that a caller's SIP came from. */
  readonly source?: string
  /** Networks that its media may come from, beside what SDP and SIP name. */
  readonly mediaHosts?: readonly string[]
  /** Default `learned`. */
  readonly mediaSource?: TrunkMediaSource
}

/** Details of the end besides its reason. */
export type LegEnding = Omit<Extract<SignalingCommand, { type: 'leg.end' }>, 'type' | 'legId' | 'reason'>

/** One party: its signalling state by the table, its media session, and the commands that move both. */
export class Leg {
  readonly uuid: LegUuid
  readonly role: LegRecord['role']
  readonly direction: LegRecord['direction']
  readonly number: string
  /** Its remote side is another leg of this switch. */
  readonly isLoop: boolean
  readonly trunkName: string
  /** A caller's offer; undefined when it is delayed, and for a leg that we dial. */
  readonly offer: string | undefined
  readonly startedUnix: number
  answeredUnix: number | undefined
  endedUnix: number | undefined
  /** What we put into signalling: our answer, or our offer. */
  sdp: string | undefined
  codec: CodecName | undefined
  /** Why its offer cannot be taken. */
  warning: SdpWarning | undefined
  /** The room that it is in, by the account's name for it. */
  room: string | undefined
  /** Its media quality, once its session has ended. */
  stats: LegMediaStats | undefined
  /** Offer and answer are complete: audio can flow. */
  isReady = false
  /** The caller has our answer: only a new offer can change it. */
  isAgreed = false
  readonly #host: LegHost
  readonly #codecs: readonly CodecName[]
  readonly #prefer: readonly CodecName[]
  readonly #toward: string | undefined
  readonly #srtp: SrtpWish
  readonly #mediaHosts: readonly string[]
  readonly #mediaSource: TrunkMediaSource
  /** The address that its SIP came from last. */
  #source: string | undefined
  readonly #isBrowser: boolean
  readonly #endTimer: string
  readonly #closeTimer: string
  #state: LegState
  #media: MediaState = 'none'

  constructor(host: LegHost, options: LegOptions) {
    this.#host = host
    this.uuid = options.uuid
    this.role = options.role
    this.direction = options.direction
    this.number = options.number
    this.trunkName = options.trunkName
    this.offer = options.offer
    this.isLoop = options.isLoop ?? options.direction === 'on-net'
    this.#isBrowser = options.isBrowser ?? false
    this.startedUnix = host.unix()
    this.#codecs = options.codecs
    this.#prefer = options.prefer ?? []
    this.#toward = options.toward
    this.#srtp = options.srtp ?? 'off'
    this.#source = options.source
    this.#mediaHosts = options.mediaHosts ?? []
    this.#mediaSource = options.mediaSource ?? 'learned'
    this.#endTimer = `leg:${options.uuid}:end`
    this.#closeTimer = `leg:${options.uuid}:close`
    this.#state = options.role === 'caller' ? 'offered' : 'idle'
  }

  get state(): LegState {
    return this.#state
  }

  /** Its state, for support. */
  get dump(): LegDump {
    return {
      leg: this.record(),
      state: this.#state,
      media: this.#media,
      isAgreed: this.isAgreed,
      isReady: this.isReady,
      codec: this.codec,
      room: this.room,
    }
  }

  get isOpen(): boolean {
    return this.#media === 'open'
  }

  /** Signalling lives: not yet ended by either side. */
  get isLive(): boolean {
    return this.#state !== 'ending' && this.#state !== 'ended'
  }

  /** No part of the leg is left. */
  get isGone(): boolean {
    return this.#state === 'ended' && this.#isSilent
  }

  /** Its media quality is known, or nothing ever could be. */
  get isMeasured(): boolean {
    return this.codec === undefined || this.#isSilent
  }

  /** There is no session that could report anything. */
  get #isSilent(): boolean {
    return this.#media === 'none' || this.#media === 'closed'
  }

  get hasEnded(): boolean {
    return this.#state === 'ended'
  }

  /**
   * Codecs that can be used with it now: a caller without an answer can still be answered with any codec of its
   * offer.
   */
  get speaks(): readonly CodecName[] {
    if (this.offer === undefined || this.isAgreed) return this.codec === undefined ? [] : [this.codec]
    const offered = this.#host.env.codecsIn(this.offer)
    return this.#codecs.length === 0 ? offered : this.#codecs.filter(name => offered.includes(name))
  }

  /** `dial`: the Dial that ends with it. */
  record(dial: LegRecord['dial'] = null): LegRecord {
    return {
      uuid: this.uuid,
      callUuid: this.#host.callId,
      role: this.role,
      direction: this.direction,
      trunkName: this.trunkName,
      number: this.number,
      startedUnix: this.startedUnix,
      answeredUnix: this.answeredUnix ?? null,
      endedUnix: this.endedUnix ?? null,
      reasonCode: '',
      dial,
    }
  }

  /** Moves by the table; false when the input does not belong to the state and is absorbed. */
  step(input: LegInput): boolean {
    const next = legTable[this.#state][input]
    if (next === undefined) return false
    this.#state = next
    if (next === 'ended') this.#host.timers.clear(this.#endTimer)
    return true
  }

  openMedia(): void {
    if (this.#media !== 'none') return
    this.#media = 'opening'
    this.#host.emit({
      type: 'media.open',
      legId: this.uuid,
      callId: this.#host.callId,
      ...(this.offer === undefined ? undefined : { offer: this.offer }),
      ...(this.#codecs.length === 0 ? undefined : { codecs: this.#codecs }),
      ...(this.#prefer.length === 0 ? undefined : { prefer: this.#prefer }),
      ...(this.isLoop ? { onNet: true } : undefined),
      ...(this.#isBrowser ? { webrtc: true } : undefined),
      ...(this.#toward === undefined ? undefined : { toward: this.#toward }),
      ...(this.#srtp === 'off' ? undefined : { srtp: this.#srtp }),
      ...(this.#mediaSource === 'learned' ? undefined : { mediaSource: this.#mediaSource }),
      ...this.#sources,
    })
  }

  /** False when the session was not being opened: it was closed meanwhile. */
  mediaOpened(sdp: string): boolean {
    if (this.#media !== 'opening') return false
    this.#media = 'open'
    this.sdp = sdp
    return true
  }

  ring(): void {
    if (this.step('ring')) this.#host.emit({ type: 'leg.ring', legId: this.uuid, sid: this.#host.record.sid })
  }

  /**
   * Makes a caller's answer again, for the codec of the leg that it will be bridged with, so that nothing is transcoded; false
   * when there is nothing to change. `media.reopened` or `media.failed` follows.
   */
  adapt(codec: CodecName): boolean {
    const { offer } = this
    if (offer === undefined || this.isAgreed || !this.isOpen || codec === this.codec) return false
    if (!this.speaks.includes(codec)) return false
    this.#host.emit({ type: 'media.reoffer', legId: this.uuid, offer, prefer: codec, ...this.#sources })
    return true
  }

  /** Our answer in another form, before it went out; false when it has. */
  adapted(sdp: string): boolean {
    if (this.#state !== 'offered' || this.isAgreed) return false
    this.sdp = sdp
    return true
  }

  progress(): void {
    if (this.sdp !== undefined && this.step('progress')) {
      this.isAgreed = true
      this.#host.emit({ type: 'leg.progress', legId: this.uuid, sid: this.#host.record.sid, sdp: this.sdp })
    }
  }

  /** `first`: what is done before the 200 leaves, such as a recording that is to miss no word. */
  answer(first: () => void): boolean {
    if (this.sdp === undefined || !this.step('answer')) return false
    this.isAgreed = true
    first()
    if (!this.isLive) return false
    this.#host.emit({ type: 'leg.answer', legId: this.uuid, sid: this.#host.record.sid, sdp: this.sdp })
    return true
  }

  dial(
    target: LegTarget,
    from: { readonly user: string; readonly displayName?: string },
    { forwards: maxForwards }: Hops,
  ): void {
    if (this.sdp === undefined || !this.step('dial')) return
    const { callId, record } = this.#host
    this.#host.emit({
      type: 'leg.dial',
      legId: this.uuid,
      callId,
      sid: record.sid,
      target,
      from,
      sdp: this.sdp,
      maxForwards,
    })
  }

  dialOnNet(from: { readonly user: string; readonly displayName: string }, hops: Hops): void {
    if (this.sdp === undefined || !this.step('dial')) return
    const { uuid, number, sdp } = this
    this.#host.emit({ type: 'loop.dial', legId: uuid, callId: this.#host.callId, from, to: number, sdp, hops })
  }

  /** Its SIP came from there. */
  cameFrom(source: string): void {
    this.#source = source
  }

  /** The remote's answer, to media. */
  takeAnswer(sdp: string): void {
    if (this.#media === 'open') this.#host.emit({ type: 'media.answered', legId: this.uuid, sdp, ...this.#sources })
  }

  /** Its new offer, to media; undefined: media is to make one. */
  takeOffer(offer: string | undefined): void {
    const given = offer === undefined ? {} : { offer }
    this.#host.emit({ type: 'media.reoffer', legId: this.uuid, ...given, ...this.#sources })
  }

  /** Hosts that its media may come from, besides the address in its SDP; none for a leg without SIP of its own. */
  get #sources(): { readonly sources: MediaSources } | undefined {
    if (this.#source === undefined && this.#mediaHosts.length === 0) return undefined
    return { sources: { sip: this.#source, hosts: this.#mediaHosts } }
  }

  /** Ends signalling and media, whatever their state. */
  end(reason: EndReason, more: LegEnding = {}): void {
    const wasIdle = this.#state === 'idle'
    if (this.step('end') && !wasIdle) {
      this.#host.emit({
        type: 'leg.end',
        legId: this.uuid,
        reason,
        ...more,
        ...(this.warning === undefined ? undefined : { warning: this.warning }),
      })
      const { timers, env } = this.#host
      timers.set(this.#endTimer, this.#host.now() + env.times.legEndMs, () => this.#host.legs.lost(this))
    }
    this.closeMedia()
  }

  closeMedia(): void {
    if (this.#media !== 'opening' && this.#media !== 'open') return
    this.#media = 'closing'
    this.#host.emit({ type: 'media.close', legId: this.uuid })
    const { timers, env } = this.#host
    timers.set(this.#closeTimer, this.#host.now() + env.times.mediaCloseMs, () => this.mediaClosed())
  }

  /** `stats` undefined: it never reported its end. */
  mediaClosed(stats?: LegMediaStats): void {
    this.#media = 'closed'
    this.stats ??= stats
    this.isReady = false
    this.#host.timers.clear(this.#closeTimer)
  }
}
