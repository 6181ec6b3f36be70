import { isIPv6 } from 'node:net'
import { type DtlsCertificate, selfSigned } from '../../../rtp/index.ts'
import { type EngineEvent, type MediaThreads, openMedia, type SessionStats } from '../../../rtp/worker/index.ts'
import { TextMap } from '../../../sip/index.ts'
import { assertNever } from '../../model/assert-never.ts'
import type { LegUuid } from '../../model/ids.ts'
import type { LegMediaStats } from '../../model/leg-quality.ts'
import type { Media, MediaCommand, MediaSources } from '../../ports/media.ts'
import { measureRecording } from '../recordings/measure-recording.ts'
import { BrowserSide, isBrowserOffer } from './browser-side.ts'
import { EndedFigures } from './ended-figures.ts'
import { type OpenCommand, statsOf } from './engine-words.ts'
import { EventQueue } from './event-queue.ts'
import { KeySide } from './key-side.ts'
import { LegMedia, type LegMediaHost, type MediaLegDump, type MediaRefusal } from './leg-media.ts'
import { endOfLate } from './leg-orders.ts'
import { addressIn, isCodecName, newSessionId, readSdp, remoteIn } from './leg-sdp.ts'
import { ownAddresses } from './own-addresses.ts'
import type { RtpMediaCounters, RtpMediaOptions } from './rtp-media-options.ts'

/** Failed legs that were not closed are forgotten beyond this number, the oldest first. */
const maxFailed = 1000
const anyAddress = '0.0.0.0'

type SourceMoved = Extract<EngineEvent, { readonly type: 'source' }>
type SourceTaken = Extract<EngineEvent, { readonly type: 'source-taken' }>
type AwaitedSource = NonNullable<Extract<EngineEvent, { readonly type: 'timeout' }>['awaited']>

const nowhereElse: MediaSources = { sip: undefined, hosts: [] }

/** The media port, by RTP: SDP is spoken here, audio in the media threads. */
export class RtpMedia implements Media {
  readonly #options: RtpMediaOptions
  readonly #events: EventQueue
  /** What browsers know this process by. */
  readonly #certificate: DtlsCertificate
  readonly #threads: MediaThreads
  readonly #host: LegMediaHost
  readonly #legs = new TextMap<LegUuid, LegMedia>()
  /** Failed, and to be closed: the oldest first. */
  readonly #unclosed = new TextMap<LegUuid, true>()
  readonly #failed = { 'no-common-codec': 0, 'bad-sdp': 0, 'no-ports': 0, internal: 0 }
  /** How often media was moved without an offer or answer. */
  readonly #sources = { learned: 0, returned: 0, taken: 0 }
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
      event => this.#reported(event),
      error => {
        this.#threadsLost++
        options.log.error({ error: error.message }, 'a media thread died and is started again')
      },
    )
    this.#host = {
      threads: this.#threads,
      events: this.#events,
      opened: () => {
        this.#opened++
      },
      failed: (leg, refusal) => this.#failedLeg(leg, refusal),
      ignored: ({ legId }, { detail }) => options.log.warn({ legId, fault: detail }, 'an SDP answer could not be used'),
      closed: (leg, stats) => this.#closedLeg(leg, stats),
      measureRecording,
    }
  }

  execute(command: MediaCommand): void {
    const leg = this.#legs.get(command.legId)
    if (command.type === 'media.open') {
      if (leg === undefined) this.#open(command)
    } else if (command.type === 'media.close') leg?.close()
    else if (leg !== undefined) leg.order(command)
    else {
      const end = endOfLate(command)
      if (end !== undefined) this.#events.add(end)
    }
  }

  async counters(): Promise<RtpMediaCounters> {
    const threads = await this.#threads.counters()
    return {
      legs: this.#legs.size,
      opened: this.#opened,
      failed: { ...this.#failed },
      ...this.#ended.packets,
      playout: this.#ended.playout,
      sources: {
        ...this.#sources,
        ...this.#sourcePackets(),
        unknown: threads.reduce((sum, { unknownSources }) => sum + unknownSources, 0),
      },
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
    return new Map(legs.map(leg => [leg.legId, leg.dump(sessions.find(({ session }) => session === leg.legId))]))
  }

  /** Ends every session, then the threads; the ends are reported. */
  close(): Promise<void> {
    return this.#threads.close()
  }

  #open(open: OpenCommand): void {
    const { legId, callId } = open
    const { random, settings } = this.#options
    const offer = open.offer === undefined ? undefined : readSdp(open.offer)
    const isBrowser = offer === undefined ? open.webrtc === true : isBrowserOffer(offer)
    const addresses = ownAddresses(open, offer && addressIn(offer), this.#options, isBrowser)
    const browser = isBrowser
      ? new BrowserSide(random, this.#certificate.fingerprint, addresses, settings.media.weakFingerprints)
      : undefined
    const { srtp = 'off' } = open
    const isKeyed = !isBrowser && srtp !== 'off'
    const isShared = open.mediaSource === 'signalled' && open.onNet !== true && !isBrowser && !isKeyed
    const opening = {
      offer,
      address: addresses[0],
      sessionId: newSessionId(random),
      codecs: (open.codecs ?? []).filter(isCodecName),
      prefer: open.prefer ?? [],
      keys: isKeyed ? new KeySide(srtp, length => random.bytes(length)) : undefined,
      isShared,
    }
    // The other session of this switch is known without SIP.
    const sources = open.onNet === true ? { sip: addresses[0], hosts: [] } : (open.sources ?? nowhereElse)
    const leg = new LegMedia(this.#host, open, opening, browser, sources)
    this.#legs.set(legId, leg)
    // An unreadable offer takes no ports.
    if (open.offer !== undefined && offer === undefined) leg.unreadable()
    else {
      const remote = offer && remoteIn(offer)
      const shared = isShared ? { sources, ...(remote === undefined ? undefined : { remote }) } : undefined
      this.#threads.open(legId, callId, browser?.opening, isKeyed, shared, !isBrowser && isIPv6(addresses[0]))
    }
  }

  #reported(event: EngineEvent): void {
    const leg = this.#legs.get(event.session as LegUuid)
    if (leg === undefined) return
    switch (event.type) {
      case 'opened':
        leg.bound(event.port, event.ssrc)
        return
      case 'failed':
        this.#options.log.error({ legId: leg.legId, fault: event.fault, detail: event.detail }, 'media session failed')
        if (event.fault === 'no-ports') leg.noPorts(event.detail)
        else leg.faulted(event.detail)
        return
      case 'source':
        this.#sourceMoved(leg, event)
        return
      case 'source-taken':
        this.#sourceTaken(leg, event)
        return
      case 'placed':
        leg.placed(event.port)
        return
      case 'stats':
        leg.measured(event.stats)
        return
      case 'closed':
        leg.ended(event.stats)
        return
      case 'recorded':
        if (event.endedBy === 'failed')
          this.#options.log.error(
            { legId: leg.legId, callId: leg.callId, size_bytes: event.sizeBytes },
            'a recording failed: its file cannot be written, as on a full disk, or the disk is too slow',
          )
        leg.orderEnded(event)
        return
      case 'played':
      case 'digits-sent':
        leg.orderEnded(event)
        return
      case 'key-down':
      case 'digit':
      case 'quiet':
        leg.remoteNews(event)
        return
      case 'timeout':
        if (event.awaited !== undefined) this.#awaitedInVain(leg, event.awaited)
        leg.remoteNews(event)
        return
      default:
        assertNever(event)
    }
  }

  #failedLeg(leg: LegMedia, { fault, detail }: MediaRefusal): void {
    this.#failed[fault]++
    this.#options.log.warn({ legId: leg.legId, fault, detail }, 'no media for this leg')
    // A leg whose session is still to end, or whose offer stands, is not forgotten.
    if (leg.state !== 'failed') return
    this.#unclosed.set(leg.legId, true)
    if (this.#unclosed.size <= maxFailed) return
    const [oldest] = this.#unclosed.keys()
    if (oldest !== undefined) this.#forget(oldest)
  }

  #closedLeg({ legId }: LegMedia, stats: SessionStats | undefined): void {
    this.#forget(legId)
    if (stats !== undefined) this.#ended.add(stats)
  }

  #forget(legId: LegUuid): void {
    this.#unclosed.delete(legId)
    this.#legs.delete(legId)
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

  #sourceTaken({ legId, callId }: LegMedia, { address, port }: SourceTaken): void {
    this.#sources.taken++
    this.#options.log.warn(
      { legId, callId, address: `${address}:${port}` },
      'media of this leg cannot be distinguished from that of another leg with the same address and port: set media_source of its trunk to learned',
    )
  }

  #awaitedInVain({ legId, callId }: LegMedia, { from, seen }: AwaitedSource): void {
    this.#options.log.warn(
      { legId, callId, awaited: from, ...(seen === undefined ? {} : { seen }) },
      seen === undefined
        ? 'no media came from the address in SDP, and media_source of the trunk allows no other'
        : 'media came from another address than SDP names: set media_source of its trunk to learned',
    )
  }

  #sourceMoved({ legId, callId }: LegMedia, { by, address, port }: SourceMoved): void {
    this.#sources[by]++
    const text =
      by === 'learned' ? 'media comes from another address than SDP names' : 'media comes from its SDP address again'
    this.#options.log.info({ legId, callId, address: `${address}:${port}` }, text)
  }
}
