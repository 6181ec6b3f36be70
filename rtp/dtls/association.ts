import type { SrtpKeys } from '../srtp/profile.ts'
import { ReplayWindow } from '../srtp/replay-window.ts'
import { ClientGate } from './client-gate.ts'
import { ClientHandshake } from './client-handshake.ts'
import type { DtlsRole, FlightPart, HandshakeOptions } from './handshake.ts'
import { type Fragment, fragmentsOf, handshakeTypes, Reassembly } from './handshake-message.ts'
import { contentTypes, type DtlsRecord, recordsOf, writeRecord } from './record.ts'
import { ServerHandshake } from './server-handshake.ts'
import { concat } from './wire.ts'

/** RFC 6347 §4.2.4.1 begins with a second; a remote that ICE has just reached answers sooner. */
const firstRetransmitMs = 250
const longestRetransmitMs = 2000
/** Time after which a handshake is given up. */
export const handshakeTimeoutMs = 20_000
/**
 * Signatures of the remote that are verified in all: one is enough. The others may have been lost behind something that
 * was forged; but a remote that goes on sending wrong ones would occupy its thread for as long as the handshake lasts.
 */
export const mostVerified = 8
/** A flight is not sent again for a repetition that follows on the last one's heels. */
const leastRepeatMs = 50
/** Length of one of our datagrams: fits any path. */
const datagramLength = 1200
/** Alerts that we send (RFC 5246 §7.2): warnings, and sealed only. An alert in clear can be forged, so it must not be acted on. */
const closeNotify = Uint8Array.of(1, 0)
const noRenegotiation = Uint8Array.of(1, 100)

type DtlsState = 'handshaking' | 'connected' | 'failed' | 'closed'

export interface DtlsOptions extends HandshakeOptions {
  readonly role: DtlsRole
  /** A datagram for the remote. */
  send(datagram: Uint8Array): void
  /** Whether forged hellos arrive just now, so that even a first one must bring a cookie. Default: no. */
  demandsCookie?(): boolean
}

/**
 * DTLS 1.2 (RFC 6347) as far as DTLS-SRTP (RFC 5764) needs it: one handshake, keys for media, and a goodbye. Nothing
 * that is not proved moves it: what is refused leaves room for what is real.
 */
export class DtlsAssociation {
  state: DtlsState = 'handshaking'
  /** Records that were refused. */
  refused = 0
  readonly #options: DtlsOptions
  #side: ServerHandshake | ClientHandshake
  #messages = new Reassembly()
  readonly #gate: ClientGate
  #flight: readonly FlightPart[] = []
  readonly #sent = [0, 0]
  #seen = new ReplayWindow()
  readonly #giveUpAt: number
  #retransmitAt = Infinity
  #retransmitMs = firstRetransmitMs
  #flightSentAt = -Infinity
  /** Signatures that were verified for clients before this one. */
  #verifiedBefore = 0

  constructor(options: DtlsOptions, now: number) {
    this.#options = options
    this.#gate = new ClientGate(options.randomBytes, () => options.demandsCookie?.() === true)
    this.#giveUpAt = now + handshakeTimeoutMs
    this.#side = options.role === 'client' ? new ClientHandshake(options) : new ServerHandshake(options)
  }

  /** The active side sends its hello; the passive one waits. */
  start(now: number): void {
    if (this.#side instanceof ClientHandshake) this.#side.start(flight => this.#sendFlight(flight, now))
  }

  /** For media; undefined until the handshake is proved. */
  get keys(): { readonly local: SrtpKeys; readonly remote: SrtpKeys } | undefined {
    return this.state === 'connected' ? this.#side.shared.established : undefined
  }

  /** Why the handshake fails, as far as it is known. */
  get detail(): string {
    return this.#side.shared.refusal ?? `nothing heard in state ${this.#side.state}`
  }

  receive(datagram: Uint8Array, length: number, now: number): void {
    if (this.state === 'failed' || this.state === 'closed') return
    for (const record of recordsOf(datagram, length)) {
      if (record.epoch === 0) this.#takePlain(record, now)
      else if (record.epoch === 1) this.#takeSealed(record, now)
    }
  }

  deadline(): number {
    return this.state === 'handshaking' ? Math.min(this.#retransmitAt, this.#giveUpAt) : Infinity
  }

  tick(now: number): void {
    if (this.state !== 'handshaking') return
    if (now >= this.#giveUpAt) {
      this.state = 'failed'
      return
    }
    if (now < this.#retransmitAt) return
    this.#retransmitMs = Math.min(2 * this.#retransmitMs, longestRetransmitMs)
    this.#transmit(now)
  }

  /** Sends close_notify, if the remote has our keys. */
  close(): void {
    if (this.state === 'connected') this.#warn(closeNotify)
    this.state = 'closed'
  }

  #warn(alert: Uint8Array): void {
    this.#options.send(this.#record({ type: contentTypes.alert, epoch: 1, content: alert }))
  }

  #takePlain(record: DtlsRecord, now: number): void {
    // Alerts of epoch 0 may be forged, and so may anything unsealed after the handshake.
    if (record.type !== contentTypes.handshake) return
    for (const fragment of fragmentsOf(record.fragment)) {
      if (fragment.type === handshakeTypes.clientHello && !this.#admits(fragment, now)) continue
      if (fragment.sequence < this.#messages.next) this.#repeat(now)
      else if (this.state === 'handshaking' && fragment.type !== handshakeTypes.finished) this.#messages.add(fragment)
    }
    this.#advance(now)
  }

  #takeSealed(record: DtlsRecord, now: number): void {
    const plain = this.#seen.has(record.sequence) ? undefined : this.#side.shared.established?.read.open(record)
    if (plain === undefined) {
      this.refused++
      return
    }
    this.#seen.add(record.sequence)
    if (record.type === contentTypes.alert) {
      // Sealed: the remote side's own. Whether it warns of its end or complains, it is gone.
      if (plain[1] === 0) this.close()
      else if (plain[0] === 2) this.state = 'closed'
      return
    }
    if (record.type !== contentTypes.handshake) return
    for (const fragment of fragmentsOf(plain)) {
      if (fragment.sequence < this.#messages.next) this.#repeat(now)
      else if (this.state === 'handshaking') this.#messages.add(fragment)
      else this.#refuseRenegotiation(fragment, now)
    }
    this.#advance(now)
  }

  #advance(now: number): void {
    for (let message = this.#messages.peek(); message !== undefined; message = this.#messages.peek()) {
      if (this.state !== 'handshaking') return
      const step = this.#side.take(message, flight => this.#sendFlight(flight, now))
      if (step === 'refused') {
        this.refused++
        this.#messages.refuse()
        this.#doubt(message.type)
        if (this.#verifiedBefore + this.#side.shared.verified >= mostVerified) this.state = 'failed'
        return
      }
      if (message.type === handshakeTypes.clientHello) this.#gate.entered(message.body)
      this.#messages.took()
      if (step === 'connected') {
        this.state = 'connected'
        this.#messages = new Reassembly(this.#messages.next)
        this.#retransmitAt = Infinity
        return
      }
    }
  }

  /** Messages before the bad one may not have come from the remote, so they are dropped; the remote sends all of them again. */
  #doubt(refused: number): void {
    const next = this.#side.rewind(refused)
    if (next !== undefined) this.#messages.restart(next)
  }

  /** False for a hello that goes no further: none of the passive side's, or one that has to prove its address first. */
  #admits(fragment: Fragment, now: number): boolean {
    if (!(this.#side instanceof ServerHandshake) || this.state !== 'handshaking') return true
    switch (this.#gate.judge(fragment, now)) {
      case 'let-in':
        return true
      case 'begin-again':
        this.#verifiedBefore += this.#side.shared.verified
        this.#side = new ServerHandshake(this.#options, fragment.sequence)
        this.#messages.restart(fragment.sequence)
        this.#seen = new ReplayWindow()
        this.#flight = []
        this.#retransmitAt = Infinity
        return true
      case 'ask-for-cookie':
        this.#options.send(this.#record({ type: contentTypes.handshake, epoch: 0, content: this.#gate.request }))
        return false
      case 'ignore':
        return false
    }
  }

  #sendFlight(flight: readonly FlightPart[], now: number): void {
    this.#flight = flight
    this.#retransmitMs = firstRetransmitMs
    this.#transmit(now)
  }

  /** RFC 5246 §7.2.2: one handshake is all. The other certificate that a second one could bring would be unverified. */
  #refuseRenegotiation({ type, offset }: Fragment, now: number): void {
    if (type !== handshakeTypes.clientHello && type !== handshakeTypes.helloRequest) return
    this.refused++
    if (offset > 0 || now - this.#flightSentAt < leastRepeatMs) return
    this.#flightSentAt = now
    this.#warn(noRenegotiation)
  }

  /** The remote repeats what we have answered: our answer was lost. */
  #repeat(now: number): void {
    if (this.#flight.length > 0 && now - this.#flightSentAt >= leastRepeatMs) this.#transmit(now)
  }

  #transmit(now: number): void {
    this.#flightSentAt = now
    this.#retransmitAt = now + this.#retransmitMs
    let datagram = new Uint8Array(0)
    for (const part of this.#flight) {
      const record = this.#record(part)
      if (datagram.length > 0 && datagram.length + record.length > datagramLength) {
        this.#options.send(datagram)
        datagram = new Uint8Array(0)
      }
      datagram = new Uint8Array(concat(datagram, record))
    }
    if (datagram.length > 0) this.#options.send(datagram)
  }

  #record({ type, epoch, content }: FlightPart): Uint8Array {
    const sequence = this.#sent[epoch]!
    this.#sent[epoch] = sequence + 1
    const cipher = this.#side.shared.established?.write
    const sealed = epoch === 1 && cipher !== undefined ? cipher.seal(type, epoch, sequence, content) : content
    return writeRecord(type, epoch, sequence, sealed)
  }
}
