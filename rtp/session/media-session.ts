import { formatAddress, formatPlace, isUnicast, parseAddress } from '../address/address.ts'
import { codecFacts } from '../codec/codec-name.ts'
import type { OpusCoders } from '../codec/opus.ts'
import type { Agreement } from '../contract/agreement.ts'
import type { RecordRules, SessionId } from '../contract/command.ts'
import type { EngineEvent } from '../contract/event.ts'
import type { RecordingSink } from '../contract/recording-sink.ts'
import type { SessionStats, SourceFigures } from '../contract/session-stats.ts'
import type { Seat } from '../mix/seat.ts'
import type { DatagramNetwork } from '../net/network.ts'
import type { PortPair } from '../net/port-pool.ts'
import type { Destination, SenderEvents } from '../packetize/destination.ts'
import { OutgoingStream } from '../packetize/outgoing-stream.ts'
import type { TickSlots } from '../packetize/tick-slots.ts'
import { ArrivalAllowance, type ArrivalDrops } from '../receive/arrival-allowance.ts'
import { Ingress } from '../receive/ingress.ts'
import { PayloadTypes } from '../receive/payload-types.ts'
import { Receiver } from '../receive/receiver.ts'
import { ReflectionGuard } from '../receive/reflection-guard.ts'
import { SymmetricRtp } from '../receive/symmetric-rtp.ts'
import { Recordings } from '../record/recordings.ts'
import { streamTracks } from '../record/stream-tracks.ts'
import type { MediaTape } from '../report/media-tape.ts'
import { ReportExchange } from '../report/report-exchange.ts'
import { Reporter } from '../report/reporter.ts'
import { SessionFigures } from '../report/session-figures.ts'
import { Sender } from '../send/sender.ts'
import { RoomSeat } from './room-seat.ts'
import { dumpOf, type OwnDump } from './session-dump.ts'
import { SessionTape } from './session-tape.ts'

/** How often a session reports its quality. */
const statsEveryMs = 5000
/** How often it looks whether the remote is missed, as a part of the time after which it is: half a second of a minute. */
const looksATimeout = 120

export interface MediaSessionHost {
  readonly network: DatagramNetwork
  readonly opus: OpusCoders
  readonly tickSlots: TickSlots
  readonly drops: ArrivalDrops
  /** Takes what is traced of sessions. Default: nothing is. */
  readonly tape?: MediaTape | undefined
  /** A leg without RTP for so long, while the remote was to send, is reported as `timeout`; on hold RTCP counts as well. */
  readonly timeoutMs: number
  emit(event: EngineEvent): void
  /** In [0, 1). */
  random(): number
  now(): number
  /** The wall clock at a monotonic time, for sender reports. */
  unixMs(now: number): number
}

/** One leg's media: a pair of ports, the receiving side, the sending side, recordings, and RTCP. */
export class MediaSession implements Destination, SenderEvents {
  readonly id: SessionId
  readonly ports: PortPair
  /** The door of the RTP port. */
  readonly ingress: Ingress
  readonly sender: Sender
  readonly recordings: Recordings
  /** Where its thread's table has it. */
  place = -1
  /** The leg that receives this one, and is received by it. */
  other: MediaSession | undefined
  /** For rooms, where many receive it. */
  readonly seat: Seat
  readonly #host: MediaSessionHost
  readonly #receiver: Receiver
  readonly #stream: OutgoingStream
  readonly #symmetricRtp = new SymmetricRtp()
  readonly #reflection: ReflectionGuard
  readonly #reporter: Reporter
  readonly #reports: ReportExchange
  readonly #rtpTimeAt = (now: number): number => this.sender.clock.rtpTimeAt(now)
  readonly #payloadTypes = new PayloadTypes()
  readonly #figures: SessionFigures
  readonly #tape: SessionTape | undefined
  #agreement: Agreement | undefined
  #sourceChanges = 0
  #statsAt: number
  #lookAt = 0

  constructor(id: SessionId, ports: PortPair, host: MediaSessionHost, now: number) {
    this.id = id
    this.ports = ports
    this.#host = host
    this.#statsAt = now + statsEveryMs
    this.#reflection = new ReflectionGuard(this.#symmetricRtp.hosts)
    const stream = new OutgoingStream(() => Math.floor(host.random() * 0x1_0000_0000))
    const cname = Math.floor(host.random() * 0x1_0000_0000_0000).toString(36)
    const reporter = new Reporter(stream, cname, now, {
      random: () => host.random(),
      unixMs: at => host.unixMs(at),
      metrics: () => this.#figures.voipMetrics,
    })
    this.#stream = stream
    this.#reporter = reporter
    const source = this.#symmetricRtp
    const allowance = new ArrivalAllowance(host.drops)
    this.#reports = new ReportExchange(host.network, ports.rtcp, reporter, source, this.#reflection, allowance)
    const types = this.#payloadTypes
    const recordings = new Recordings(id, host, () => ({
      received: streamTracks(payloadType => types.codecs[payloadType], host.opus),
      sent: streamTracks(() => this.#agreement?.codec, host.opus),
    }))
    this.recordings = recordings
    this.sender = new Sender(host.network, ports.rtp, this, stream, this, host.opus, host.tickSlots)
    const receiver = new Receiver(id, host, this.#payloadTypes, recordings, () => this.sender.clock.frames.wake(), now)
    this.#receiver = receiver
    this.#tape = this.#tapeOver(receiver, now)
    this.ingress = new Ingress(host.network, source, this.#reflection, types, allowance, receiver, by =>
      this.#reportSource(by),
    )
    this.seat = new RoomSeat(receiver.inband, this.sender, () => reporter.lossPercent)
    this.#figures = new SessionFigures({ stream, ingress: this.ingress, receiver, recordings, reporter })
  }

  /** Of what it sends. */
  get ssrc(): number {
    return this.#stream.ssrc
  }
  get agreement(): Agreement | undefined {
    return this.#agreement
  }
  /** Until then `send` has nothing to do, unless `onWake` is called. */
  get idleUntil(): number {
    return this.#receiver.digits.isHeld ? 0 : this.sender.idleUntil
  }
  /** Until then `tick` has nothing to do, unless a command comes. */
  get quietUntil(): number {
    return this.#receiver.inband.isListening || this.recordings.areRunning ? 0 : this.#lookAt
  }
  /** Called when it must be asked for frames again. */
  set onWake(woken: () => void) {
    this.sender.clock.frames.onWake = woken
  }
  get address(): number {
    return this.#symmetricRtp.address
  }
  get port(): number {
    return this.#symmetricRtp.port
  }
  get stats(): SessionStats {
    return { ...this.#figures.stats, source: this.#source }
  }

  /** Its state, for support. */
  dump(now: number): OwnDump {
    const { id, ssrc, ports, sender, recordings, agreement, stats } = this
    return dumpOf(
      {
        id,
        ssrc,
        ports,
        sender,
        receiver: this.#receiver,
        recordings,
        symmetricRtp: this.#symmetricRtp,
        agreement,
        bridgedWith: this.other?.id,
        stats,
      },
      now,
    )
  }

  maySend(): boolean {
    const { address, port } = this.#symmetricRtp
    return this.#agreement?.send === true && this.#isReachable && this.#reflection.maySend(address, port)
  }

  sent(): void {
    const { address, port } = this.#symmetricRtp
    this.#reflection.sent(address, port, this.#agreement?.ptimeMs ?? 0)
  }

  played(play: string, completed: boolean): void {
    this.#host.emit({ type: 'played', session: this.id, play, completed })
  }
  digitsSent(digitsId: string): void {
    this.#host.emit({ type: 'digits-sent', session: this.id, digitsId })
  }
  promptFrame(packet: Uint8Array, length: number, at: number): void {
    this.recordings.promptFrame(packet, length, at)
  }

  agree(agreement: Agreement, now: number): void {
    const { remote } = agreement
    const address = remote === undefined ? undefined : parseAddress(remote.address)
    this.#agreement = agreement
    const port = address === undefined || remote === undefined ? 0 : remote.port
    this.#symmetricRtp.signal(address ?? 0, port, agreement.sources, now)
    this.#reports.signal(port === 0 ? 0 : (address ?? 0), port === 0 ? 0 : (remote?.rtcpPort ?? 0))
    this.#reporter.agree(agreement.extendedReports)
    this.#payloadTypes.agree(agreement)
    this.#receiver.agree(agreement, now)
    this.#figures.agree(agreement)
    this.#lookAt = 0
    this.sender.agree(agreement)
  }

  /** The other leg receives this one from now on, and this one the other; undefined = none. */
  bridge(other: MediaSession | undefined): void {
    if (other === undefined && this.other === undefined) return
    this.other = other
    this.sender.bridge(other !== undefined)
    this.#receiver.forwardTo(other)
  }

  /** Its audio comes through its seat from now on. */
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
      { codecs: this.#payloadTypes.codecs, rate, opus: this.#host.opus },
      now,
    )
  }

  /** Its packets are taped whole until then, where there is a tape. */
  capture(until: number): void {
    this.#tape?.capture(until)
  }

  /** A datagram on the RTCP port. */
  receiveReport(packet: Uint8Array, length: number, address: number, port: number, now: number): void {
    const { present } = this.#receiver.source
    if (!this.#reports.receive(packet, length, address, port, present, now)) {
      this.ingress.dropped++
      return
    }
    this.#receiver.noteReport(now)
    this.sender.tune(this.#reporter.lossPercent)
  }

  /** Reads what `send` will read, and does nothing with it; returns any number. See `readAheadOf`. */
  readAheadSending(): number {
    const { ssrc } = this.#receiver.digits
    const payloadType = this.#agreement?.payloadType ?? 0
    return (ssrc + payloadType + this.#symmetricRtp.port + this.#reflection.withheld + this.sender.readAhead()) | 0
  }

  /** The same of what a packet of the remote needs, on its way to the other leg too. */
  readAheadReceiving(): number {
    const { source, received, digits } = this.#receiver
    const { candidatePackets, port } = this.#symmetricRtp
    const { present } = source
    const counted =
      present === undefined ? 0 : present.sequences.received + present.jitter.units + present.losses.burstRatio
    const own = received + digits.ssrc + candidatePackets + port + this.#reflection.withheld + this.ingress.dropped
    return (own + counted + (this.other?.readAheadSending() ?? 0)) | 0
  }

  /** What is due at `tickAt` goes out. */
  send(now: number, tickAt: number): void {
    this.#receiver.digits.tick(now)
    this.sender.tick(now, tickAt)
  }

  /** Work that can wait until every session has sent. */
  tick(now: number): void {
    this.#receiver.inband.tick(now)
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

  /** What happens every few seconds or later: reports, figures, a remote that is missed. */
  #look(now: number): void {
    this.#tape?.tick(now, this.#figures)
    this.#reports.tick(this.#receiver.source.present, this.#rtpTimeAt, now)
    if (now >= this.#statsAt) this.#reportStats(now)
    this.#receiver.reportMissing(this.sender.isTalking, now)
    // What a look reads was last read so long ago that it comes from slow memory: it is read when something is due.
    const missedAt = now + this.#host.timeoutMs / looksATimeout
    const pointAt = this.#tape?.pointAt ?? Number.POSITIVE_INFINITY
    this.#lookAt = Math.min(missedAt, pointAt, this.#reports.deadline, this.#statsAt)
  }

  /** Sees what comes in and goes out, where it is wanted. */
  #tapeOver(receiver: Receiver, now: number): SessionTape | undefined {
    const { tape } = this.#host
    if (tape === undefined) return undefined
    const session = { id: this.id, socket: this.ports.rtp, remote: this.#symmetricRtp }
    const own = new SessionTape(tape, session, [receiver, this.#stream], this.#host, now)
    receiver.tape = own
    receiver.inband.tape = own
    this.#stream.tape = own
    return own
  }

  /** Media comes from another source now, and goes there. */
  #reportSource(by: 'learned' | 'returned'): void {
    const { address, port } = this.#symmetricRtp
    this.#sourceChanges++
    this.#host.emit({ type: 'source', session: this.id, by, address: formatAddress(address), port })
  }

  #reportStats(now: number): void {
    this.#statsAt = now + statsEveryMs
    if (this.#agreement !== undefined) this.#host.emit({ type: 'stats', session: this.id, stats: this.stats })
  }

  get #source(): SourceFigures {
    const { address, port, state } = this.#symmetricRtp
    return {
      address: port === 0 ? '' : formatPlace(address, port),
      state,
      changes: this.#sourceChanges,
      refused: this.ingress.refused + this.#reports.refused,
      withheld: this.#reflection.withheld,
    }
  }

  get #isReachable(): boolean {
    return this.#symmetricRtp.port !== 0 && isUnicast(this.#symmetricRtp.address)
  }
}
