import { type DtlsCertificate, selfSigned } from '../../../rtp/index.ts'
import {
  type EngineCommand,
  type EngineEvent,
  type MediaThreads,
  noStats,
  openMedia,
  type SessionStats,
} from '../../../rtp/worker/index.ts'
import type { LegUuid } from '../../model/ids.ts'
import type { LegMediaStats } from '../../model/leg-quality.ts'
import type { Media, MediaCommand } from '../../ports/media.ts'
import { BrowserSide, isBrowserOffer } from './browser-side.ts'
import { EndedFigures } from './ended-figures.ts'
import { endsOf, statsOf } from './ends.ts'
import { EventQueue } from './event-queue.ts'
import { KeySide } from './key-side.ts'
import { beginLeg, type LegMedia, type MediaLegDump, type OpenCommand, type SdpCommand } from './leg-media.ts'
import { type Agreed, addressIn, LegSdp, newSessionId, readSdp } from './leg-sdp.ts'
import { endOfLate, engineOrder, mediaNews, mustWait, recordingOrders } from './orders.ts'
import { ownAddresses } from './own-addresses.ts'
import type { RtpMediaCounters, RtpMediaOptions } from './rtp-media-options.ts'

/** Failed legs that were not closed are forgotten beyond this number, the oldest first. */
const maxFailed = 1000
const anyAddress = '0.0.0.0'

type SourceMoved = Extract<EngineEvent, { readonly type: 'source' }>
type Fault = keyof RtpMediaCounters['failed']

/** The media port, by RTP: SDP is spoken here, audio in the media threads. */
export class RtpMedia implements Media {
  readonly #options: RtpMediaOptions
  readonly #events: EventQueue
  /** What browsers know this process by. */
  readonly #certificate: DtlsCertificate
  readonly #threads: MediaThreads
  readonly #legs = new Map<LegUuid, LegMedia>()
  readonly #failed = { 'no-common-codec': 0, 'bad-sdp': 0, 'no-ports': 0, internal: 0 }
  /** How often media was moved without an offer or answer. */
  readonly #sources = { learned: 0, returned: 0 }
  readonly #ended = new EndedFigures()
  #opened = 0
  #threadsLost = 0

  /** Throws when the range of ports is too small for the threads. */
  static async open(options: RtpMediaOptions): Promise<RtpMedia> {
    return new RtpMedia(options)
  }

  private constructor(options: RtpMediaOptions) {
    const { ports, workers, timeoutSeconds } = options.settings.media
    this.#options = options
    this.#events = new EventQueue(options.emit, options.log)
    this.#certificate = selfSigned(Date.now(), options.random.bytes(8))
    this.#threads = openMedia(
      {
        ports,
        workers,
        timeoutMs: timeoutSeconds * 1000,
        address: options.bindAddress ?? anyAddress,
        sockets: options.sockets ?? 'auto',
        certificate: this.#certificate,
        tapes: options.tapes,
      },
      event => this.#heard(event),
      error => {
        this.#threadsLost++
        options.log.error({ error: error.message }, 'a media thread died and is started again')
      },
    )
  }

  execute(command: MediaCommand): void {
    if (command.type === 'media.open') {
      this.#open(command)
      return
    }
    const leg = this.#legs.get(command.legId)
    if (leg === undefined || leg.state === 'failed' || leg.state === 'closing') this.#late(command, leg)
    else this.#order(leg, command)
  }

  async counters(): Promise<RtpMediaCounters> {
    const threads = await this.#threads.counters()
    return {
      legs: this.#legs.size,
      opened: this.#opened,
      failed: { ...this.#failed },
      ...this.#ended.packets,
      playout: this.#ended.playout,
      sources: { ...this.#sources, ...this.#sourcePackets() },
      threadsLost: this.#threadsLost,
      threadsSilent: this.#threads.silent,
      threads,
    }
  }

  /** How a leg fared when its session reported last, at most five seconds ago; undefined before the first time. */
  statsOf(legId: LegUuid): LegMediaStats | undefined {
    const stats = this.#legs.get(legId)?.stats
    return stats && statsOf(stats)
  }

  /** The state of legs, for support. */
  async dumpOf(legIds: readonly LegUuid[]): Promise<ReadonlyMap<LegUuid, MediaLegDump>> {
    const sessions = await this.#threads.dump(legIds)
    const legs = legIds.map(legId => this.#legs.get(legId)).filter(leg => leg !== undefined)
    return new Map(
      legs.map(leg => [
        leg.legId,
        {
          state: leg.state,
          isAgreed: leg.isAgreed,
          plays: leg.plays.size,
          recordings: leg.recordings.size,
          digits: leg.digits.size,
          session: sessions.find(({ session }) => session === leg.legId),
        },
      ]),
    )
  }

  /** Ends every session, then the threads; the ends are reported. */
  close(): Promise<void> {
    return this.#threads.close()
  }

  #open(open: OpenCommand): void {
    const { legId, callId } = open
    if (this.#legs.has(legId)) return
    const offer = open.offer === undefined ? undefined : readSdp(open.offer)
    const isBrowser = offer === undefined ? open.webrtc === true : isBrowserOffer(offer)
    const addresses = ownAddresses(open, offer && addressIn(offer), this.#options)
    const browser = isBrowser
      ? new BrowserSide(
          this.#options.random,
          this.#certificate.fingerprint,
          addresses,
          this.#options.settings.media.weakFingerprints,
        )
      : undefined
    const { srtp = 'off' } = open
    const isKeyed = !isBrowser && srtp !== 'off'
    const keys = isKeyed ? new KeySide(srtp, length => this.#options.random.bytes(length)) : undefined
    const leg = beginLeg(open, addresses[0], browser, keys)
    // The other session of this switch is known without SIP.
    if (open.onNet === true) leg.sources = { sip: addresses[0], hosts: [] }
    this.#legs.set(legId, leg)
    // An unreadable offer takes no ports.
    if (open.offer !== undefined && offer === undefined) this.#refuse(leg, 'bad-sdp', 'not SDP')
    else this.#threads.open(legId, callId, leg.browser?.opening, isKeyed)
  }

  #order(leg: LegMedia, command: Exclude<MediaCommand, OpenCommand>): void {
    if (command.type !== 'media.answered' && command.type !== 'media.reoffer') {
      if (command.type === 'media.close') this.#send(...recordingOrders(leg))
      if (mustWait(leg, command)) leg.toRecord.push(command)
      else this.#send(engineOrder(leg, command))
    } else if (leg.sdp === undefined) leg.waiting.push(command)
    else this.#negotiate(leg, leg.sdp, command)
  }

  #late(command: Exclude<MediaCommand, OpenCommand>, leg: LegMedia | undefined): void {
    const isRefused = leg?.state === 'failed'
    const end = endOfLate(command.legId, command, isRefused)
    if (command.type === 'media.close' && isRefused) this.#legs.delete(command.legId)
    if (end !== undefined) this.#events.soon(end)
  }

  #heard(event: EngineEvent): void {
    const leg = this.#legs.get(event.session as LegUuid)
    if (leg === undefined) return
    const { legId } = leg
    switch (event.type) {
      case 'opened':
        if (leg.state === 'opening') this.#ready(leg, event.port, event.ssrc)
        return
      case 'failed':
        this.#options.log.error({ legId, fault: event.fault, detail: event.detail }, 'media session failed')
        if (event.fault === 'no-ports') this.#lost(leg)
        else this.#fail(leg, event.fault)
        return
      case 'source':
        this.#sourceMoved(leg, event)
        return
      case 'stats':
        leg.stats = event.stats
        return
      case 'closed':
        // A thread that died takes its figures with it.
        this.#closed(leg, event.stats === noStats ? (leg.stats ?? noStats) : event.stats)
        return
      default: {
        const news = mediaNews(leg, event)
        if (news !== undefined) this.#events.now(news)
      }
    }
  }

  /** The ports are bound: the answer, or our offer. */
  #ready(leg: LegMedia, port: number, ssrc: number): void {
    const { legId, open } = leg
    leg.browser?.sendAs(ssrc)
    const offer = open.offer === undefined ? undefined : readSdp(open.offer)
    const sdp = new LegSdp({
      address: leg.address,
      port,
      sessionId: newSessionId(this.#options.random),
      codecs: leg.codecs,
      prefer: open.prefer ?? [],
      browser: leg.browser,
      keys: leg.keys,
    })
    if (offer === undefined) {
      this.#isOpen(leg, sdp)
      this.#events.now({ type: 'media.opened', legId, sdp: sdp.offer() })
    } else {
      const answered = sdp.answer(offer)
      if (!answered.ok) {
        this.#send({ type: 'close', session: legId })
        this.#refuse(leg, answered.fault, answered.detail)
        return
      }
      const { agreement, sdp: answer } = answered.value
      this.#isOpen(leg, sdp)
      leg.isAgreed = true
      this.#agree(leg, answered.value, false)
      this.#send(...recordingOrders(leg))
      this.#events.now({ type: 'media.opened', legId, sdp: answer })
      this.#events.now({ type: 'media.ready', legId, codec: agreement.codec })
    }
    for (const command of leg.waiting.splice(0)) this.#negotiate(leg, sdp, command)
  }

  /** What was refused of unknown sources, and withheld from third parties, since the start. */
  #sourcePackets(): Readonly<Record<'refused' | 'withheld', number>> {
    let { refused, withheld } = this.#ended.sources
    for (const { stats } of this.#legs.values()) {
      refused += stats?.source.refused ?? 0
      withheld += stats?.source.withheld ?? 0
    }
    return { refused, withheld }
  }

  #isOpen(leg: LegMedia, sdp: LegSdp): void {
    leg.state = 'open'
    leg.sdp = sdp
    this.#opened++
  }

  #sourceMoved({ legId, callId }: LegMedia, { by, address, port }: SourceMoved): void {
    this.#sources[by]++
    const text =
      by === 'learned' ? 'media comes from another address than SDP names' : 'media comes from its SDP address again'
    this.#options.log.info({ legId, callId, address: `${address}:${port}` }, text)
  }

  #agree({ legId, sources }: LegMedia, { agreement: agreed, browser, keys }: Agreed, talk: boolean): void {
    const agreement = { ...agreed, sources }
    const more = { ...(browser === undefined ? {} : { browser }), ...(keys === undefined ? {} : { keys }) }
    this.#send({ type: 'agree', session: legId, agreement, talk, ...more })
  }

  #negotiate(leg: LegMedia, sdp: LegSdp, command: SdpCommand): void {
    leg.sources = command.sources ?? leg.sources
    if (command.type === 'media.answered') this.#takeAnswer(leg, sdp, command.sdp)
    else if (command.offer === undefined) {
      this.#events.soon({ type: 'media.reopened', legId: leg.legId, sdp: sdp.offer() })
    } else this.#answerAgain(leg, sdp, command.offer, command.prefer)
  }

  #takeAnswer(leg: LegMedia, sdp: LegSdp, answer: string): void {
    const { legId } = leg
    const taken = sdp.takeAnswer(answer)
    if (taken.ok) {
      leg.isAgreed = true
      this.#agree(leg, taken.value, true)
      this.#events.soon({ type: 'media.ready', legId, codec: taken.value.agreement.codec })
      return
    }
    this.#options.log.warn({ legId, fault: taken.detail }, 'an SDP answer could not be used')
    // A bad answer after a good one changes nothing: the session goes on as it was.
    if (leg.isAgreed) return
    this.#failed[taken.fault]++
    this.#events.soon({ type: 'media.failed', legId, fault: taken.fault, reoffer: false })
  }

  #answerAgain(leg: LegMedia, sdp: LegSdp, offer: string, prefer: Parameters<LegSdp['answer']>[1]): void {
    const { legId } = leg
    const session = readSdp(offer)
    const answered = session === undefined ? undefined : sdp.answer(session, prefer)
    if (answered?.ok !== true) {
      this.#events.soon({ type: 'media.failed', legId, fault: answered?.fault ?? 'bad-sdp', reoffer: true })
      return
    }
    leg.isAgreed = true
    this.#agree(leg, answered.value, false)
    this.#events.soon({ type: 'media.reopened', legId, sdp: answered.value.sdp })
    this.#events.soon({ type: 'media.ready', legId, codec: answered.value.agreement.codec })
  }

  /** There will be no session for this leg; a `media.close` for it is still answered. */
  #refuse(leg: LegMedia, fault: Fault, detail: string): void {
    leg.state = 'failed'
    this.#options.log.warn({ legId: leg.legId, fault, detail }, 'no media for this offer')
    // First why, then what has ended by it: a recording that was ordered with the answer must not look like its end.
    this.#fail(leg, fault)
    this.#endOrders(leg)
    this.#forgetOldestFailed()
  }

  /** No ports, or no thread: like a refusal, unless it is being closed anyway. */
  #lost(leg: LegMedia): void {
    if (leg.state === 'closing') {
      this.#closed(leg, noStats)
      return
    }
    this.#refuse(leg, 'no-ports', 'every media port is in use')
  }

  #fail(leg: LegMedia, fault: Fault): void {
    this.#failed[fault]++
    this.#events.soon({ type: 'media.failed', legId: leg.legId, fault, reoffer: false })
  }

  #closed(leg: LegMedia, stats: SessionStats): void {
    // A refused leg has reported its end; its ports are free again.
    if (leg.state === 'failed') return
    this.#endOrders(leg)
    this.#legs.delete(leg.legId)
    this.#ended.add(stats)
    this.#events.soon({ type: 'media.closed', legId: leg.legId, stats: statsOf(stats) })
  }

  #endOrders(leg: LegMedia): void {
    // What waited was ordered as well.
    recordingOrders(leg)
    for (const end of endsOf(leg)) this.#events.soon(end)
  }

  #forgetOldestFailed(): void {
    const failed = [...this.#legs.values()].filter(leg => leg.state === 'failed')
    if (failed.length > maxFailed && failed[0] !== undefined) this.#legs.delete(failed[0].legId)
  }

  #send(...commands: readonly EngineCommand[]): void {
    for (const command of commands) this.#threads.execute(command)
  }
}
