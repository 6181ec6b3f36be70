import type { AudioCodec } from '../codec/codec.ts'
import { pcma, pcmu } from '../codec/g711.ts'
import { DigitReceiver } from '../dtmf/digit-receiver.ts'
import { isUnicast, parseAddress } from '../engine/address.ts'
import type { Agreement, EngineCodec, EngineEvent, RecordRules, SessionId } from '../engine/command.ts'
import type { DatagramNetwork } from '../engine/network.ts'
import type { PortPair } from '../engine/port-pool.ts'
import {
  isRtp,
  markerOf,
  payloadLengthOf,
  payloadOffsetOf,
  payloadTypeOf,
  sequenceOf,
  ssrcOf,
  timestampOf,
} from '../packet/header.ts'
import { g711Tracks } from '../record/g711-track.ts'
import { Reception } from '../rtcp/reception.ts'
import { HeldPackets } from './held-packets.ts'
import { OutStream } from './out-stream.ts'
import type { Playback } from './playback.ts'
import { Recipient } from './recipient.ts'
import { recorderTools } from './recorder-tools.ts'
import type { RecordingSink } from './recording-sink.ts'
import { Recordings, type RecordingsHost } from './recordings.ts'
import { ReportSide } from './report-side.ts'
import { Reporter } from './reporter.ts'
import { type Destination, Sender } from './sender.ts'
import type { SessionStats } from './session-stats.ts'
import { SourceGate } from './source-gate.ts'

const clockRate = 8000

export interface SessionHost {
  readonly network: DatagramNetwork
  /** A leg without RTP for so long, while the far end was to send, is told as `timeout`. */
  readonly timeoutMs: number
  emit(event: EngineEvent): void
  /** In [0, 1). */
  random(): number
  /** The wall clock at a monotonic time, for sender reports. */
  unixMs(now: number): number
}

const codecs: Readonly<Record<EngineCodec, AudioCodec>> = { PCMU: pcmu, PCMA: pcma }

/** One leg's media: a pair of ports, what its far end says and hears, and the reports about both. */
export class Session implements Destination {
  readonly id: SessionId
  readonly ports: PortPair
  readonly sender: Sender
  readonly recordings: Recordings
  /** Who hears this leg, and is heard by it. */
  other: Session | undefined
  readonly #host: SessionHost
  readonly #recorded: RecordingsHost
  readonly #stream: OutStream
  readonly #gate = new SourceGate()
  readonly #recipient = new Recipient()
  readonly #reporter: Reporter
  readonly #reports: ReportSide
  readonly #rtpTimeAt = (now: number): number => this.sender.rtpTimeAt(now)
  readonly #digits = new DigitReceiver({ clockRate })
  /** What a payload type means now. */
  readonly #accepted: (EngineCodec | 'events' | undefined)[] = new Array(128).fill(undefined)
  #agreement: Agreement | undefined
  #reception: Reception | undefined
  /** Packets and losses of sources before the present one. */
  #lostBefore = 0
  #eventTime = 0
  readonly #held = new HeldPackets()
  #heardAt: number
  #received = 0
  #dropped = 0

  constructor(id: SessionId, ports: PortPair, host: SessionHost, now: number) {
    this.id = id
    this.ports = ports
    this.#host = host
    this.#heardAt = now
    this.#stream = new OutStream(() => Math.floor(host.random() * 0x1_0000_0000))
    const cname = Math.floor(host.random() * 0x1_0000_0000_0000).toString(36)
    this.#reporter = new Reporter(
      this.#stream,
      cname,
      now,
      () => host.random(),
      at => host.unixMs(at),
    )
    this.#reports = new ReportSide(host.network, ports.rtcp, this.#reporter, this.#gate, this.#recipient)
    this.sender = new Sender(host.network, ports.rtp, this, this.#stream, {
      played: (play, completed) => host.emit({ type: 'played', session: id, play, completed }),
      digitsSent: digitsId => host.emit({ type: 'digits-sent', session: id, digitsId }),
      sounded: (packet, length, at) => this.recordings.sounded(packet, length, at),
    })
    this.#recorded = {
      id,
      heard: g711Tracks(payloadType => this.#codecOf(payloadType)),
      sent: g711Tracks(() => this.#agreement && codecs[this.#agreement.codec]),
      emit: event => host.emit(event),
    }
    this.recordings = new Recordings(this.#recorded)
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
    const { remote, accept, acceptEvents } = agreement
    const address = remote === undefined ? undefined : parseAddress(remote.address)
    this.#agreement = agreement
    this.#gate.signal(address ?? 0, address === undefined || remote === undefined ? 0 : remote.port)
    this.#reports.signal(address ?? 0, remote?.rtcpPort ?? 0)
    this.#accepted.fill(undefined)
    for (const { payloadType, codec } of accept) this.#accepted[payloadType] = codec
    if (acceptEvents !== undefined) this.#accepted[acceptEvents] = 'events'
    this.#heardAt = now
    this.sender.agree(agreement)
  }

  play(playback: Playback): void {
    this.sender.play(playback)
  }

  record(recordingId: string, sink: RecordingSink, rules: RecordRules, now: number): void {
    const tools = recorderTools(payloadType => this.#codecOf(payloadType))
    this.recordings.record(recordingId, sink, rules, tools, now)
  }

  /** A datagram on the RTP port. */
  receive(packet: Uint8Array, length: number, address: number, port: number, now: number): void {
    if (!isRtp(packet, length)) {
      this.#dropped++
      return
    }
    const meaning = this.#accepted[payloadTypeOf(packet)]
    if (meaning === undefined) {
      this.#dropped++
      return
    }
    switch (this.#gate.judge(address, port, ssrcOf(packet), sequenceOf(packet), now)) {
      case 'refused':
        if (this.#gate.candidatePackets > 0) this.#held.hold(packet, length, this.#gate.candidatePackets)
        this.#dropped++
        return
      case 'latched':
        if (this.#gate.isLatched) this.#hearHeld(now)
        this.#held.clear()
        break
      case 'accepted':
        break
    }
    this.#recipient.heard(address, port)
    this.#hear(packet, length, meaning, now)
  }

  /** What a source said on its probation, now that it is believed. */
  #hearHeld(now: number): void {
    for (let at = 0; at < this.#held.count; at++) {
      const packet = this.#host.network.slot()
      const length = this.#held.copyInto(packet, at)
      const meaning = this.#accepted[payloadTypeOf(packet)]
      if (length === 0 || meaning === undefined) continue
      this.#dropped--
      this.#hear(packet, length, meaning, now)
    }
  }

  #hear(packet: Uint8Array, length: number, meaning: EngineCodec | 'events', now: number): void {
    this.#received++
    this.#heardAt = now
    const reception = this.#receptionOf(ssrcOf(packet))
    const payloadLength = payloadLengthOf(packet, length)
    if (meaning === 'events') {
      reception.receiveUntimed(sequenceOf(packet))
      this.#receiveEvent(packet, payloadLength, now)
      return
    }
    reception.receive(sequenceOf(packet), timestampOf(packet), now)
    if (payloadLength === 0 || this.#agreement?.receive !== true) return
    this.recordings.heard(packet, length, now)
    this.other?.recordings.heardFar(this.#recorded, packet, length, now)
    this.other?.sender.hear(packet, payloadLength, meaning, now)
  }

  /** A datagram on the RTCP port. */
  receiveReport(packet: Uint8Array, length: number, address: number, port: number, now: number): void {
    if (!this.#reports.receive(packet, length, address, port, this.#reception, now)) this.#dropped++
  }

  tick(now: number): void {
    const stalled = this.#digits.deadline()
    if (stalled !== undefined && now >= stalled && this.#digits.timeout(now) > 0) this.#tellDigits(now)
    this.sender.tick(now)
    this.recordings.tick(now)
    this.#reports.tick(this.#reception, this.#rtpTimeAt, now)
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
      if (this.#agreement !== undefined) this.#reports.sayGoodbye(this.#reception, this.sender.rtpTimeAt(now), now)
    } finally {
      this.recordings.close(now, done)
    }
  }

  get stats(): SessionStats {
    const reception = this.#reception
    return {
      codec: this.#agreement?.codec,
      packetsReceived: this.#received,
      packetsSent: this.#stream.packets,
      packetsLost: this.#lostBefore + Math.max(0, reception?.sequences.lost ?? 0),
      packetsLate: this.recordings.late,
      packetsDropped: this.#dropped,
      jitterMs: reception?.jitter.ms ?? 0,
      roundTripMs: this.#reporter.roundTripMs,
    }
  }

  get #isReachable(): boolean {
    return this.#gate.port !== 0 && isUnicast(this.#gate.address)
  }

  #codecOf(payloadType: number): AudioCodec | undefined {
    const meaning = this.#accepted[payloadType]
    return meaning === undefined || meaning === 'events' ? undefined : codecs[meaning]
  }

  #receptionOf(ssrc: number): Reception {
    const present = this.#reception
    if (present?.ssrc === ssrc) return present
    // The far end restarted, or another one answers; what it held down, it holds no more.
    this.#lostBefore += Math.max(0, present?.sequences.lost ?? 0)
    this.#digits.reset()
    this.#reception = new Reception(ssrc, clockRate)
    return this.#reception
  }

  #receiveEvent(packet: Uint8Array, payloadLength: number, now: number): void {
    const timestamp = timestampOf(packet)
    const wasHeld = this.#digits.held
    const from = payloadOffsetOf(packet)
    const told = this.#digits.push(packet, from, payloadLength, timestamp, markerOf(packet), now)
    if (wasHeld === undefined) this.#eventTime = timestamp
    this.recordings.note(packet, now)
    this.other?.recordings.noteFar(this.#recorded, packet, now)
    if (told > 0) this.#tellDigits(now)
    this.other?.sender.hearEvent(packet, payloadLength, now)
  }

  #tellDigits(now: number): void {
    this.recordings.key(this.#eventTime, now)
    for (let press = this.#digits.take(); press !== undefined; press = this.#digits.take()) {
      this.#host.emit({ type: 'digit', session: this.id, digit: press.digit, durationMs: press.durationMs })
    }
  }
}
