import { codecFacts, isRelayable, rateBetween } from '../codec/codec-name.ts'
import type { OpusCoders } from '../codec/opus.ts'
import type { Press } from '../dtmf/digit-receiver.ts'
import { ToneMute } from '../dtmf/tone-mute.ts'
import { isUnicast, parseAddress } from '../engine/address.ts'
import type { Agreement, EngineEvent, RecordRules, SessionId } from '../engine/command.ts'
import type { DatagramNetwork } from '../engine/network.ts'
import type { PortPair } from '../engine/port-pool.ts'
import type { Seat } from '../mix/seat.ts'
import { payloadLengthOf, payloadOffsetOf, payloadTypeOf, sequenceOf, ssrcOf, timestampOf } from '../packet/header.ts'
import { streamTracks } from '../record/stream-tracks.ts'
import { Arrivals, type Believed } from './arrivals.ts'
import type { Beats } from './beats.ts'
import { HeardSource } from './heard-source.ts'
import { Hearing } from './hearing.ts'
import { KeyEvents } from './key-events.ts'
import { OutStream } from './out-stream.ts'
import type { Destination } from './own-frames.ts'
import { type Meaning, PayloadMeanings } from './payload-meanings.ts'
import type { Playback } from './playback.ts'
import { Recipient } from './recipient.ts'
import type { RecordingSink } from './recording-sink.ts'
import { Recordings, type RecordingsHost } from './recordings.ts'
import { ReportSide } from './report-side.ts'
import { Reporter } from './reporter.ts'
import { RoomSeat } from './room-seat.ts'
import { Sender } from './sender.ts'
import { type Listened, type SessionStats, scoreOf } from './session-stats.ts'
import { SourceGate } from './source-gate.ts'
import { voipMetricsOf } from './voip-metrics.ts'

/** How often a session tells how it fares. */
const statsEveryMs = 5000
/** How often it looks whether that, or a report, is due. */
const lookEveryMs = 50

export interface SessionHost {
  readonly network: DatagramNetwork
  readonly opus: OpusCoders
  readonly beats: Beats
  /** A leg without RTP for so long, while the far end was to send, is told as `timeout`. */
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
  readonly sender: Sender
  readonly recordings: Recordings
  /** Who hears this leg, and is heard by it. */
  other: Session | undefined
  /** For rooms, where it is heard by many. */
  readonly seat: Seat
  readonly #host: SessionHost
  readonly #recorded: RecordingsHost
  readonly #stream: OutStream
  readonly #gate = new SourceGate()
  readonly #recipient = new Recipient()
  readonly #reporter: Reporter
  readonly #reports: ReportSide
  readonly #rtpTimeAt = (now: number): number => this.sender.rtpTimeAt(now)
  readonly #hearing: Hearing
  readonly #keys: KeyEvents
  readonly #meanings = new PayloadMeanings()
  readonly #source: HeardSource
  #agreement: Agreement | undefined
  /** Where digits come as tones. */
  #toneMute: ToneMute | undefined
  readonly #arrivals: Arrivals
  #heardAt: number
  #received = 0
  #statsAt: number
  #lookAt = 0

  constructor(id: SessionId, ports: PortPair, host: SessionHost, now: number) {
    this.id = id
    this.ports = ports
    this.#host = host
    this.#heardAt = now
    this.#statsAt = now + statsEveryMs
    this.#stream = new OutStream(() => Math.floor(host.random() * 0x1_0000_0000))
    const cname = Math.floor(host.random() * 0x1_0000_0000_0000).toString(36)
    this.#reporter = new Reporter(this.#stream, cname, now, {
      random: () => host.random(),
      unixMs: at => host.unixMs(at),
      metrics: () => this.#source.present && voipMetricsOf(this.#source.present, this.#listened),
    })
    this.#reports = new ReportSide(host.network, ports.rtcp, this.#reporter, this.#gate, this.#recipient)
    const events = {
      played: (play: string, completed: boolean) => host.emit({ type: 'played', session: id, play, completed }),
      digitsSent: (digitsId: string) => host.emit({ type: 'digits-sent', session: id, digitsId }),
      sounded: (packet: Uint8Array, length: number, at: number) => this.recordings.sounded(packet, length, at),
    }
    this.sender = new Sender(host.network, ports.rtp, this, this.#stream, events, host.opus, host.beats)
    const { codecs } = this.#meanings
    this.#hearing = new Hearing(codecs, host.opus, (press, began) => this.#tellTone(press, began))
    this.seat = new RoomSeat(this.#hearing, this.sender, () => this.#reporter.lossPercent)
    this.#recorded = {
      id,
      heard: streamTracks(payloadType => codecs[payloadType], host.opus),
      sent: streamTracks(() => this.#agreement?.codec, host.opus),
      emit: event => host.emit(event),
    }
    this.recordings = new Recordings(this.#recorded)
    const hear: Believed = (packet, length, meaning, at) => this.#hear(packet, length, meaning, at)
    this.#arrivals = new Arrivals(host.network, this.#gate, this.#recipient, this.#meanings, hear)
    this.#source = new HeardSource(() => this.#keys.reset())
    this.#keys = new KeyEvents({
      keyDown: (digit, at) => this.#keyDown(digit, at),
      keyUp: (press, began, at) => this.#keyUp(press, began, at),
    })
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

  maySend(now: number): boolean {
    const { address, port } = this.#gate
    return this.#agreement?.send === true && this.#isReachable && this.#recipient.maySend(address, port, now)
  }

  agree(agreement: Agreement, now: number): void {
    const { remote } = agreement
    const address = remote === undefined ? undefined : parseAddress(remote.address)
    this.#agreement = agreement
    this.#gate.signal(address ?? 0, address === undefined || remote === undefined ? 0 : remote.port)
    this.#reports.signal(address ?? 0, remote?.rtcpPort ?? 0)
    this.#reporter.agree(agreement.extendedReports)
    this.#meanings.agree(agreement)
    const areDigitsTones = agreement.receive && !this.#meanings.hasEvents
    this.#hearing.agree(areDigitsTones, codecFacts[agreement.codec].clockRate)
    this.#toneMute = areDigitsTones ? (this.#toneMute ?? new ToneMute()) : undefined
    this.#heardAt = now
    this.#lookAt = 0
    this.sender.agree(agreement)
  }

  play(playback: Playback): void {
    this.sender.play(playback)
  }

  /** The other leg hears this one from now on, and is heard by it; undefined = nobody. */
  bridge(other: Session | undefined): void {
    if (other === undefined && this.other === undefined) return
    this.other = other
    this.sender.bridge(other !== undefined)
    this.#hearing.release()
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

  /** A datagram that was not let in. */
  drop(): void {
    this.#arrivals.dropped++
  }

  /** A datagram on the RTP port. */
  receive(packet: Uint8Array, length: number, address: number, port: number, now: number): void {
    this.#arrivals.receive(packet, length, address, port, now)
  }

  #hear(packet: Uint8Array, length: number, meaning: Meaning, now: number): void {
    this.#received++
    this.#heardAt = now
    const payloadLength = payloadLengthOf(packet, length)
    if (meaning === 'events' || meaning === 'noise') {
      this.#source.of(ssrcOf(packet), this.#clockRate).receiveUntimed(sequenceOf(packet))
      if (meaning === 'events') this.#receiveEvent(packet, payloadLength, now)
      else this.#receiveNoise(packet, length, payloadLength, now)
      return
    }
    const reception = this.#source.of(ssrcOf(packet), codecFacts[meaning].clockRate)
    reception.receive(sequenceOf(packet), timestampOf(packet), now)
    if (payloadLength === 0 || this.#agreement?.receive !== true) return
    this.recordings.heard(packet, length, now)
    this.other?.recordings.heardFar(this.#recorded, packet, length, now)
    const sender = this.other?.sender
    const wanted = sender?.codec
    const mustEncode = wanted !== undefined && !isRelayable(meaning, wanted)
    const watch = sender?.takesEvents === true ? this.#hearing : undefined
    if (mustEncode) sender?.listen(this.#hearing.earFor(rateBetween(meaning, wanted)), watch)
    this.#hearing.push(packet, length, now)
    if (mustEncode || sender === undefined) return
    if (watch !== undefined) this.#toneMute?.muteIn(packet, payloadOffsetOf(packet), payloadLength, meaning)
    sender.hear(packet, payloadLength, meaning, now)
  }

  /** A datagram on the RTCP port. */
  receiveReport(packet: Uint8Array, length: number, address: number, port: number, now: number): void {
    if (!this.#reports.receive(packet, length, address, port, this.#source.present, now)) this.#arrivals.dropped++
    else this.sender.tune(this.#reporter.lossPercent)
  }

  /** What is due goes out. */
  send(now: number): void {
    this.#keys.tick(now)
    this.sender.tick(now)
  }

  /** All that nobody waits for, once every session has sent. */
  tick(now: number): void {
    this.#hearing.tick(now)
    this.recordings.tick(now)
    if (now >= this.#lookAt) this.#look(now)
  }

  /** What happens every few seconds or later: reports, figures, a far end that is missed. */
  #look(now: number): void {
    this.#lookAt = now + lookEveryMs
    this.#reports.tick(this.#source.present, this.#rtpTimeAt, now)
    if (now >= this.#statsAt) this.#tellStats(now)
    // A far end that merely rings need not send: it is missed once we talk to each other.
    const isAwaited = this.#agreement?.receive === true && this.sender.isTalking
    if (!isAwaited && this.#received === 0) this.#heardAt = now
    if (isAwaited && now - this.#heardAt >= this.#host.timeoutMs) {
      this.#heardAt = now
      this.#host.emit({ type: 'timeout', session: this.id })
    }
  }

  /** Ends what runs and says goodbye; `done` when all its recordings are on disk. */
  close(now: number, done: () => void): void {
    try {
      this.sender.close()
      this.#hearing.free()
      if (this.#agreement !== undefined) this.#reports.sayGoodbye(this.#source.present, this.sender.rtpTimeAt(now), now)
    } finally {
      this.recordings.close(now, done)
    }
  }

  get stats(): SessionStats {
    const heard = this.#listened
    return {
      codec: heard.codec,
      packetsReceived: heard.received,
      packetsSent: this.#stream.packetsBefore + this.#stream.packets,
      packetsLost: heard.lost,
      packetsLate: this.recordings.late + heard.unheard,
      packetsDropped: this.#arrivals.dropped,
      jitterMs: heard.jitterMs,
      roundTripMs: heard.roundTripMs,
      ...scoreOf(heard),
      far: this.#reporter.far(codecFacts[heard.codec ?? 'PCMU'].clockRate),
      playout: this.#hearing.playout,
    }
  }

  get #listened(): Listened {
    const reception = this.#source.present
    return {
      codec: this.#agreement?.codec,
      received: this.#received,
      lost: this.#source.lost,
      unheard: this.#hearing.playout.late,
      burstRatio: reception?.losses.burstRatio ?? 1,
      jitterMs: reception?.jitter.ms ?? 0,
      roundTripMs: this.#reporter.roundTripMs,
      bufferMs: this.#hearing.bufferMs,
      packetMs: this.#agreement?.ptimeMs ?? 20,
    }
  }

  #tellStats(now: number): void {
    this.#statsAt = now + statsEveryMs
    if (this.#agreement !== undefined) this.#host.emit({ type: 'stats', session: this.id, stats: this.stats })
  }

  /** What timestamps are taken to count, when a packet does not say. */
  get #clockRate(): number {
    return this.#source.present?.clockRate ?? codecFacts[this.#agreement?.codec ?? 'PCMU'].clockRate
  }

  get #isReachable(): boolean {
    return this.#gate.port !== 0 && isUnicast(this.#gate.address)
  }

  #receiveEvent(packet: Uint8Array, payloadLength: number, now: number): void {
    const clock = this.#meanings.eventClockOf(payloadTypeOf(packet))
    this.recordings.note(packet, now)
    this.other?.recordings.noteFar(this.#recorded, packet, now)
    this.#hearing.note(packet, now)
    this.#keys.receive(packet, payloadLength, clock, now)
    this.other?.sender.hearEvent(packet, payloadLength, clock, now)
  }

  #receiveNoise(packet: Uint8Array, length: number, payloadLength: number, now: number): void {
    if (this.#agreement?.receive !== true) return
    this.recordings.note(packet, now)
    this.other?.recordings.noteFar(this.#recorded, packet, now)
    this.#hearing.rest(packet, length, now)
    this.other?.sender.hearRest(packet, payloadLength, now)
  }

  /** A digit that came as a tone. */
  #tellTone({ digit, durationMs }: Press, began: number): void {
    this.recordings.key(began, this.#heardAt)
    this.#host.emit({ type: 'digit', session: this.id, digit, durationMs })
    this.other?.sender.toneEnded(digit)
  }

  #keyDown(digit: string, now: number): void {
    this.#host.emit({ type: 'key-down', session: this.id, digit })
    this.other?.sender.keyDown(digit, now)
  }

  #keyUp({ digit, durationMs }: Press, began: number, now: number): void {
    this.recordings.key(began, now)
    this.#host.emit({ type: 'digit', session: this.id, digit, durationMs })
    this.other?.sender.keyUp(digit, durationMs)
  }
}
