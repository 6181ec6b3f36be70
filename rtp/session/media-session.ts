import { codecFacts } from '../codec/codec-name.ts'
import type { OpusCoders } from '../codec/opus.ts'
import type { Agreement } from '../contract/agreement.ts'
import type { RecordRules, SessionId } from '../contract/command.ts'
import type { EngineEvent } from '../contract/event.ts'
import type { RecordingSink } from '../contract/recording-sink.ts'
import type { SessionStats, SourceFigures } from '../contract/session-stats.ts'
import type { Seat } from '../mix/seat.ts'
import { formatAddress, isUnicast, parseAddress } from '../net/address.ts'
import type { DatagramNetwork } from '../net/network.ts'
import type { PortPair } from '../net/port-pool.ts'
import type { Destination } from '../packetize/destination.ts'
import { OutStream } from '../packetize/outgoing-stream.ts'
import type { Beats } from '../packetize/tick-slots.ts'
import { Arrivals } from '../receive/ingress.ts'
import { PayloadMeanings } from '../receive/payload-types.ts'
import { Receiver } from '../receive/receiver.ts'
import { Recipient } from '../receive/reflection-guard.ts'
import { SourceGate } from '../receive/symmetric-rtp.ts'
import { Recordings } from '../record/recordings.ts'
import { streamTracks } from '../record/stream-tracks.ts'
import { ReportSide } from '../report/report-exchange.ts'
import { Reporter } from '../report/reporter.ts'
import { SessionFigures } from '../report/session-figures.ts'
import { Sender } from '../send/sender.ts'
import { RoomSeat } from './room-seat.ts'

/** How often a session tells how it fares. */
const statsEveryMs = 5000
/** How often it looks whether that, or a report, is due. */
const lookEveryMs = 50

export interface SessionHost {
  readonly network: DatagramNetwork
  readonly opus: OpusCoders
  readonly beats: Beats
  /** A leg without RTP for so long, while the remote was to send, is told as `timeout`; on hold RTCP counts as well. */
  readonly timeoutMs: number
  emit(event: EngineEvent): void
  /** In [0, 1). */
  random(): number
  /** The wall clock at a monotonic time, for sender reports. */
  unixMs(now: number): number
}

/** One leg's media: a pair of ports, what its far end says and hears, and the reports about both. */
export class Session implements Destination {
  readonly id: SessionId
  readonly ports: PortPair
  /** The door of the RTP port. */
  readonly arrivals: Arrivals
  readonly sender: Sender
  readonly recordings: Recordings
  /** Who hears this leg, and is heard by it. */
  other: Session | undefined
  /** For rooms, where it is heard by many. */
  readonly seat: Seat
  readonly #host: SessionHost
  readonly #receiver: Receiver
  readonly #stream: OutStream
  readonly #gate = new SourceGate()
  readonly #recipient: Recipient
  readonly #reporter: Reporter
  readonly #reports: ReportSide
  readonly #rtpTimeAt = (now: number): number => this.sender.clock.rtpTimeAt(now)
  readonly #meanings = new PayloadMeanings()
  readonly #figures: SessionFigures
  #agreement: Agreement | undefined
  #sourceChanges = 0
  #statsAt: number
  #lookAt = 0

  constructor(id: SessionId, ports: PortPair, host: SessionHost, now: number) {
    this.id = id
    this.ports = ports
    this.#host = host
    this.#statsAt = now + statsEveryMs
    this.#recipient = new Recipient(this.#gate.hosts)
    const stream = new OutStream(() => Math.floor(host.random() * 0x1_0000_0000))
    const cname = Math.floor(host.random() * 0x1_0000_0000_0000).toString(36)
    const reporter = new Reporter(stream, cname, now, {
      random: () => host.random(),
      unixMs: at => host.unixMs(at),
      metrics: () => this.#figures.voipMetrics,
    })
    this.#stream = stream
    this.#reporter = reporter
    this.#reports = new ReportSide(host.network, ports.rtcp, reporter, this.#gate, this.#recipient)
    const { codecs } = this.#meanings
    const recordings = new Recordings({
      id,
      heard: streamTracks(payloadType => codecs[payloadType], host.opus),
      sent: streamTracks(() => this.#agreement?.codec, host.opus),
      emit: event => host.emit(event),
    })
    this.recordings = recordings
    const events = {
      played: (play: string, completed: boolean) => host.emit({ type: 'played', session: id, play, completed }),
      digitsSent: (digitsId: string) => host.emit({ type: 'digits-sent', session: id, digitsId }),
      sounded: (packet: Uint8Array, length: number, at: number) => recordings.sounded(packet, length, at),
    }
    this.sender = new Sender(host.network, ports.rtp, this, stream, events, host.opus, host.beats)
    const receiver = new Receiver(id, host, this.#meanings, recordings, now)
    this.#receiver = receiver
    this.arrivals = new Arrivals(host.network, this.#gate, this.#recipient, this.#meanings, receiver, by =>
      this.#tellSource(by),
    )
    this.seat = new RoomSeat(receiver.hearing, this.sender, () => reporter.lossPercent)
    this.#figures = new SessionFigures({ stream, arrivals: this.arrivals, receiver, recordings, reporter })
  }

  /** Of what it sends. */
  get ssrc(): number {
    return this.#stream.ssrc
  }
  get agreement(): Agreement | undefined {
    return this.#agreement
  }
  get address(): number {
    return this.#gate.address
  }
  get port(): number {
    return this.#gate.port
  }
  get stats(): SessionStats {
    return { ...this.#figures.stats, source: this.#source }
  }

  maySend(): boolean {
    const { address, port } = this.#gate
    return this.#agreement?.send === true && this.#isReachable && this.#recipient.maySend(address, port)
  }

  sent(): void {
    const { address, port } = this.#gate
    this.#recipient.sent(address, port, this.#agreement?.ptimeMs ?? 0)
  }

  agree(agreement: Agreement, now: number): void {
    const { remote } = agreement
    const address = remote === undefined ? undefined : parseAddress(remote.address)
    this.#agreement = agreement
    const port = address === undefined || remote === undefined ? 0 : remote.port
    this.#gate.signal(address ?? 0, port, agreement.sources, now)
    this.#reports.signal(port === 0 ? 0 : (address ?? 0), port === 0 ? 0 : (remote?.rtcpPort ?? 0))
    this.#reporter.agree(agreement.extendedReports)
    this.#meanings.agree(agreement)
    this.#receiver.agree(agreement, now)
    this.#figures.agree(agreement)
    this.#lookAt = 0
    this.sender.agree(agreement)
  }

  /** The other leg hears this one from now on, and is heard by it; undefined = nobody. */
  bridge(other: Session | undefined): void {
    if (other === undefined && this.other === undefined) return
    this.other = other
    this.sender.bridge(other !== undefined)
    this.#receiver.passTo(other)
  }

  /** What it hears comes through its seat from now on. */
  enterRoom(): void {
    this.sender.bridge(true)
  }

  /** `open` makes the file, for samples of the rate that suits the codec. */
  record(recordingId: string, open: (sampleRate: number) => RecordingSink, rules: RecordRules, now: number): void {
    const rate = codecFacts[this.#agreement?.codec ?? 'PCMU'].sampleRate
    this.recordings.record(
      recordingId,
      open(rate),
      rules,
      { codecs: this.#meanings.codecs, rate, opus: this.#host.opus },
      now,
    )
  }

  /** A datagram on the RTCP port. */
  receiveReport(packet: Uint8Array, length: number, address: number, port: number, now: number): void {
    const { present } = this.#receiver.source
    if (!this.#reports.receive(packet, length, address, port, present, now)) {
      this.arrivals.dropped++
      return
    }
    this.#receiver.noteReport(now)
    this.sender.tune(this.#reporter.lossPercent)
  }

  /** What is due at `beatAt` goes out. */
  send(now: number, beatAt: number): void {
    this.#receiver.keys.tick(now)
    this.sender.tick(now, beatAt)
  }

  /** All that nobody waits for, once every session has sent. */
  tick(now: number): void {
    this.#receiver.hearing.tick(now)
    this.recordings.tick(now)
    if (now >= this.#lookAt) this.#look(now)
  }

  /** Ends what runs and says goodbye; `done` when all its recordings are on disk. */
  close(now: number, done: () => void): void {
    const { source } = this.#receiver
    try {
      this.sender.close()
      this.#receiver.free()
      if (this.#agreement !== undefined) this.#reports.sayGoodbye(source.present, this.#rtpTimeAt(now), now)
    } finally {
      this.recordings.close(now, done)
    }
  }

  /** What happens every few seconds or later: reports, figures, a far end that is missed. */
  #look(now: number): void {
    this.#lookAt = now + lookEveryMs
    this.#reports.tick(this.#receiver.source.present, this.#rtpTimeAt, now)
    if (now >= this.#statsAt) this.#tellStats(now)
    this.#receiver.tellMissed(this.sender.isTalking, now)
  }

  /** Media comes from another source now, and goes there. */
  #tellSource(by: 'learned' | 'returned'): void {
    const { address, port } = this.#gate
    this.#sourceChanges++
    this.#host.emit({ type: 'source', session: this.id, by, address: formatAddress(address), port })
  }

  #tellStats(now: number): void {
    this.#statsAt = now + statsEveryMs
    if (this.#agreement !== undefined) this.#host.emit({ type: 'stats', session: this.id, stats: this.stats })
  }

  get #source(): SourceFigures {
    const { address, port, state } = this.#gate
    return {
      address: port === 0 ? '' : `${formatAddress(address)}:${port}`,
      state,
      changes: this.#sourceChanges,
      refused: this.arrivals.refused + this.#reports.refused,
      withheld: this.#recipient.withheld,
    }
  }

  get #isReachable(): boolean {
    return this.#gate.port !== 0 && isUnicast(this.#gate.address)
  }
}
