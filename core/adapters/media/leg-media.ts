import { type EngineCommand, noStats, type SessionDump, type SessionStats } from '../../../rtp/worker/index.ts'
import type { SessionDescription } from '../../../sip/index.ts'
import { assertNever } from '../../model/assert-never.ts'
import type { CallUuid, LegUuid } from '../../model/ids.ts'
import type { CodecName } from '../../model/trunk.ts'
import type { MediaEvent, MediaSources, SdpWarning } from '../../ports/media.ts'
import type { BrowserSide } from './browser-side.ts'
import {
  closedUnopened,
  engineOrder,
  type OrderEnded,
  type RemoteNews,
  remoteNews,
  type SdpCommand,
  statsOf,
} from './engine-words.ts'
import type { KeySide } from './key-side.ts'
import { type LegMediaAction, type LegMediaInput, type LegMediaState, legMediaTable } from './leg-media-states.ts'
import { endOfLate, LegOrders, type MeasureRecording, type Order } from './leg-orders.ts'
import { type Agreed, LegSdp, readSdp, remoteIn } from './leg-sdp.ts'

type MediaFault = Extract<MediaEvent, { readonly type: 'media.failed' }>['fault']

type Reoffer = Extract<SdpCommand, { readonly type: 'media.reoffer' }>

/** Why there is no media, for the domain and for the log. */
export interface MediaRefusal {
  readonly fault: MediaFault
  readonly detail: string
  /** For the remote whose offer it was. */
  readonly warning?: SdpWarning
}

/** What a leg's media does to the world. */
export interface LegMediaHost {
  readonly threads: { execute(command: EngineCommand): void }
  readonly events: { add(event: MediaEvent): void }
  opened(leg: LegMedia): void
  /** The leg has failed: to be counted. */
  failed(leg: LegMedia, refusal: MediaRefusal): void
  /** An answer that cannot be used came after a good one. */
  ignored(leg: LegMedia, refusal: MediaRefusal): void
  /** Its session is over; undefined: it never had one. */
  closed(leg: LegMedia, stats: SessionStats | undefined): void
  readonly measureRecording: MeasureRecording
}

/** What is needed until the leg is open. */
interface LegOpening {
  /** The remote's; undefined: we make one. */
  readonly offer: SessionDescription | undefined
  /** Where its media is reached. */
  readonly address: string
  readonly sessionId: string
  /** In our order of preference; empty = all. */
  readonly codecs: readonly CodecName[]
  /** Offered first when `codecs` is empty. */
  readonly prefer: readonly CodecName[]
  readonly keys: KeySide | undefined
  /** Its port may be one that legs share. */
  readonly isShared: boolean
}

/** What media's adapter knows of a leg, and its session. */
export interface MediaLegDump {
  readonly state: 'opening' | 'open' | 'failed' | 'closing'
  /** Offer and answer have met. */
  readonly isAgreed: boolean
  /** Plays, recordings and digits that were ordered and have not ended. */
  readonly plays: number
  readonly recordings: number
  readonly digits: number
  /** Undefined: there is none, or its thread has not answered in a second. */
  readonly session: SessionDump | undefined
}

/** What an action needs of the input that it follows. */
interface Facts {
  readonly order?: Order
  readonly sdp?: string
  readonly agreed?: Agreed
  readonly refusal?: MediaRefusal
  readonly stats?: SessionStats
}

const noFacts: Facts = {}
const dumpStates = {
  opening: 'opening',
  offered: 'open',
  agreed: 'open',
  closing: 'closing',
  failed: 'failed',
  closed: 'closing',
} as const satisfies Record<LegMediaState, MediaLegDump['state']>

/** A leg's media from its offer to its end, by the table: offers and answers, and what is ordered of its session. */
export class LegMedia {
  readonly legId: LegUuid
  readonly callId: CallUuid
  readonly #host: LegMediaHost
  readonly #browser: BrowserSide | undefined
  readonly #orders = new LegOrders()
  /** Its media comes from the address in SDP alone: for each later offer its port is asked for once more. */
  readonly #isShared: boolean
  /** Offers, or wishes for one, that wait for a port. */
  #placing: Reoffer[] | undefined
  #state: LegMediaState = 'opening'
  #opening: LegOpening | undefined
  #sdp: LegSdp | undefined
  /** Where its media may come from, as the last offer or answer said. */
  #sources: MediaSources
  /** What its session reported of itself last. */
  #stats: SessionStats | undefined

  constructor(
    host: LegMediaHost,
    ids: { readonly legId: LegUuid; readonly callId: CallUuid },
    opening: LegOpening,
    browser: BrowserSide | undefined,
    sources: MediaSources,
  ) {
    this.#host = host
    this.legId = ids.legId
    this.callId = ids.callId
    this.#opening = opening
    this.#isShared = opening.isShared
    this.#browser = browser
    this.#sources = sources
  }

  get state(): LegMediaState {
    return this.#state
  }
  get stats(): SessionStats | undefined {
    return this.#stats
  }

  dump(session: SessionDump | undefined): MediaLegDump {
    return {
      state: dumpStates[this.#state],
      isAgreed: this.#state === 'agreed',
      plays: this.#orders.count('play'),
      recordings: this.#orders.count('recording'),
      digits: this.#orders.count('digits'),
      session,
    }
  }

  order(order: Order): void {
    this.#step('order', { order })
  }

  close(): void {
    this.#step('close')
  }

  /** The remote's offer is no SDP. */
  unreadable(): void {
    this.#step('unreadable', { refusal: { fault: 'bad-sdp', detail: 'not SDP' } })
  }

  /** The ports are bound: our offer, or the answer to the remote's. */
  bound(port: number, ssrc: number | undefined): void {
    const opening = this.#opening
    if (this.#state !== 'opening' || opening === undefined) return
    const { offer, address, sessionId, codecs, prefer, keys } = opening
    const browser = this.#browser
    if (ssrc !== undefined) browser?.sendAs(ssrc)
    const sdp = new LegSdp({ address, port, sessionId, codecs, prefer, browser, keys })
    this.#sdp = sdp
    if (offer === undefined) {
      this.#step('offer', { sdp: sdp.offer() })
      return
    }
    const answered = sdp.answer(offer)
    if (answered.ok) this.#step('answer', { agreed: answered.value, sdp: answered.value.sdp })
    else this.#step('refuse', { refusal: answered })
  }

  /** The port that the next offer or answer names. */
  placed(port: number): void {
    const command = this.#placing?.shift()
    if (command === undefined || (this.#state !== 'offered' && this.#state !== 'agreed')) return
    this.#sdp?.moveTo(port)
    this.#reoffer(command)
  }

  noPorts(detail: string): void {
    this.#step('no-ports', { refusal: { fault: 'no-ports', detail } })
  }

  /** `ended` follows. */
  faulted(detail: string): void {
    this.#step('fault', { refusal: { fault: 'internal', detail } })
  }

  /** The engine reports the end of an order. */
  orderEnded(ended: OrderEnded): void {
    const event = this.#orders.ended(this.legId, ended, this.#host.measureRecording)
    if (event !== undefined) this.#host.events.add(event)
  }

  remoteNews(news: RemoteNews): void {
    const event = remoteNews(this.legId, this.#browser !== undefined, news)
    if (event !== undefined) this.#host.events.add(event)
  }

  measured(stats: SessionStats): void {
    this.#stats = stats
  }

  ended(stats: SessionStats): void {
    // A thread that died takes its figures with it.
    this.#step('ended', { stats: stats === noStats ? (this.#stats ?? noStats) : stats })
  }

  #step(input: LegMediaInput, facts: Facts = noFacts): void {
    const cell = legMediaTable[this.#state][input]
    if (cell === undefined) return
    this.#state = cell[0]
    if (this.#state !== 'opening') this.#opening = undefined
    for (let at = 1; at < cell.length; at++) this.#act(cell[at] as LegMediaAction, facts)
  }

  #act(action: LegMediaAction, { order, sdp, agreed, refusal, stats = noStats }: Facts): void {
    const { legId } = this
    const host = this.#host
    switch (action) {
      case 'hold':
        if (order !== undefined) this.#orders.hold(order)
        return
      case 'carry-out':
        if (order !== undefined) {
          this.#orders.note(order)
          this.#carryOut(order)
        }
        return
      case 'carry-out-held':
        for (const held of this.#orders.takeHeld()) this.#carryOut(held)
        return
      case 'abandon-held':
        for (const held of this.#orders.takeHeld()) if (!isSdp(held)) host.threads.execute(engineOrder(held))
        return
      case 'end-order': {
        const end = order && endOfLate(order)
        if (end !== undefined) host.events.add(end)
        return
      }
      case 'end-orders':
        for (const end of this.#orders.endAll(legId, host.measureRecording)) host.events.add(end)
        return
      case 'agree':
      case 'agree-and-talk':
        if (agreed !== undefined) this.#agree(agreed, action === 'agree-and-talk')
        return
      case 'close-session':
        host.threads.execute({ type: 'close', session: legId })
        return
      case 'report-opened':
        host.opened(this)
        if (sdp !== undefined) host.events.add({ type: 'media.opened', legId, sdp })
        return
      case 'report-reopened':
        if (sdp !== undefined) host.events.add({ type: 'media.reopened', legId, sdp })
        return
      case 'report-ready':
        if (agreed !== undefined) host.events.add({ type: 'media.ready', legId, codec: agreed.agreement.codec })
        return
      case 'report-failed':
        if (refusal !== undefined) {
          host.failed(this, refusal)
          host.events.add({ type: 'media.failed', legId, fault: refusal.fault, reoffer: false, ...warningIn(refusal) })
        }
        return
      case 'report-ignored':
        if (refusal !== undefined) host.ignored(this, refusal)
        return
      case 'report-closed':
        host.closed(this, stats)
        host.events.add({ type: 'media.closed', legId, stats: statsOf(stats) })
        return
      case 'report-closed-unopened':
        host.closed(this, undefined)
        host.events.add(closedUnopened(legId))
        return
      default:
        assertNever(action)
    }
  }

  #carryOut(order: Order): void {
    if (isSdp(order)) this.#negotiate(order)
    else this.#host.threads.execute(engineOrder(order))
  }

  #negotiate(command: SdpCommand): void {
    this.#sources = command.sources ?? this.#sources
    if (command.type === 'media.answered') {
      const taken = this.#sdp?.takeAnswer(command.sdp)
      if (taken?.ok === true) this.#step('taken', { agreed: taken.value })
      else if (taken !== undefined) this.#step('unusable', { refusal: taken })
      // What is preferred changes our answer to an offer that has its port.
    } else if (this.#isShared && command.prefer === undefined) this.#place(command)
    else this.#reoffer(command)
  }

  /** `placed` follows. */
  #place(command: Reoffer): void {
    const offer = command.offer === undefined ? undefined : readSdp(command.offer)
    const remote = offer && remoteIn(offer)
    this.#placing ??= []
    this.#placing.push(command)
    this.#host.threads.execute({
      type: 'place',
      session: this.legId,
      sources: this.#sources,
      ...(remote === undefined ? undefined : { remote }),
    })
  }

  #reoffer(command: Reoffer): void {
    const sdp = this.#sdp
    if (sdp === undefined) return
    const { legId } = this
    if (command.offer === undefined) {
      this.#host.events.add({ type: 'media.reopened', legId, sdp: sdp.offer() })
      return
    }
    const offer = readSdp(command.offer)
    const answered = offer && sdp.answer(offer, command.prefer)
    if (answered?.ok === true) this.#step('answer-again', { agreed: answered.value, sdp: answered.value.sdp })
    else {
      const fault = answered?.fault ?? 'bad-sdp'
      this.#host.events.add({ type: 'media.failed', legId, fault, reoffer: true, ...warningIn(answered) })
    }
  }

  #agree({ agreement: agreed, browser, keys }: Agreed, talk: boolean): void {
    this.#host.threads.execute({
      type: 'agree',
      session: this.legId,
      agreement: { ...agreed, sources: this.#sources },
      talk,
      ...(browser === undefined ? undefined : { browser }),
      ...(keys === undefined ? undefined : { keys }),
    })
  }
}

const warningIn = (refusal: { readonly warning?: SdpWarning } | undefined): { readonly warning?: SdpWarning } =>
  refusal?.warning === undefined ? {} : { warning: refusal.warning }

const isSdp = (order: Order): order is SdpCommand => order.type === 'media.answered' || order.type === 'media.reoffer'
