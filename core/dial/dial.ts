import type { CallHost } from '../leg/call-host.ts'
import type { DialConnection, DialOutcome } from '../leg/dial-connection.ts'
import type { Leg } from '../leg/leg.ts'
import type { DialDump, HoldDump } from '../model/call-dump.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { CodecName } from '../model/trunk.ts'
import type { Change } from '../ports/store.ts'
import type { CallRecordings } from '../talk/call-recordings.ts'
import { recordDial } from '../talk/dial-recording.ts'
import type { Player } from '../talk/player.ts'
import type { DialRequest } from '../verbs/index.ts'
import type { Branch } from './branch.ts'
import { Hunt, type HuntListener, type HuntParts } from './hunt.ts'

interface DialParts extends HuntParts {
  readonly player: Player
  /** Made for the first recording. */
  readonly recorder: () => CallRecordings
  readonly done: (outcome: DialOutcome) => void
}

/** The id of the digits that a Number's `sendDigits` sends to the remote. */
export const dialDigitsId = 'dial-digits'

const limitTimer = 'dial:limit'

/** One Dial: what the caller is sent while its children ring, and the bridge to the one who answers. */
export class BridgingDial implements DialConnection, HuntListener {
  readonly #host: CallHost
  readonly #request: DialRequest
  readonly #parts: DialParts
  readonly #hunt: Hunt
  #bridged: Leg | undefined
  #isRinging = false
  #digitsSent: 'no' | 'sending' | 'yes' = 'no'
  /** The recording of the two, from the answer to the end. */
  #recordId: string | undefined

  constructor(host: CallHost, request: DialRequest, parts: DialParts) {
    this.#host = host
    this.#request = request
    this.#parts = parts
    this.#hunt = new Hunt(host, request, parts, this)
  }

  start(): void {
    // A browser's answer starts its checks, which must not wait for the whole time of ringing.
    if (this.#parts.endUser === undefined) this.#parts.party.prepare()
    this.#ringCaller()
    this.#hunt.start()
  }

  /** Legs of this Dial that are bridged or may be: for digits that came by INFO. */
  get bridgedLeg(): Leg | undefined {
    return this.#bridged
  }

  get dump(): DialDump {
    return {
      kind: 'dial',
      state: this.#hunt.state,
      room: undefined,
      bridgedLegUuid: this.#bridged?.uuid,
      branches: this.#hunt.branches.map(branch => branch.dump),
    }
  }

  get holds(): readonly HoldDump[] {
    return this.#hunt.branches.flatMap(branch => branch.holds)
  }

  partyChanged(): void {
    this.#tryBridge()
  }

  partyDigit(digit: string): void {
    const { isWon, winner } = this.#hunt
    if (digit === '*' && this.#request.hangupOnStar && isWon) winner?.cancel('END.0200')
  }

  digitsSent(): void {
    if (this.#digitsSent !== 'sending') return
    this.#digitsSent = 'yes'
    this.#tryBridge()
  }

  inRoom(): void {}

  stop(reason: EndReason): void {
    if (!this.#hunt.end()) return
    this.#stopRecord()
    this.#hunt.stop(reason)
    this.#parts.done(this.#hunt.outcome(reason))
  }

  finalChanges(): readonly Change[] {
    return this.#hunt.finalChanges()
  }

  ringing(): void {
    // After early media a 180 would make the caller's phone play its own ringing tone over ours.
    const { party } = this.#parts
    if (!party.hasEarlyMedia) party.leg.ring()
  }

  early(): void {
    const { audible } = this.#hunt
    if (this.#bridged !== undefined || audible === undefined) return
    // Forked early media: the first leg that sends any is forwarded until one answers.
    if (!this.#parts.party.isAnswered) {
      if (!this.#request.answerOnBridge || !this.#parts.party.canHearEarly) return
      this.#parts.party.progress(this.#codecOf(audible))
    }
    this.#tryBridge()
  }

  won(branch: Branch): void {
    const { timeLimitMs } = this.#request
    const cut = () => branch.cutAfter(timeLimitMs, 'END.0210')
    this.#host.timers.set(limitTimer, this.#host.now() + timeLimitMs, cut)
    if (this.#bridged !== undefined && this.#bridged !== branch.leg) this.#unbridge()
    this.#parts.party.answer(this.#codecOf(branch.leg))
    this.#tryBridge()
    this.#record()
  }

  ready(leg: Leg): void {
    const { digits } = this.#hunt
    if (digits !== '' && this.#digitsSent === 'no') {
      this.#digitsSent = 'sending'
      this.#host.emit({ type: 'media.send-digits', legId: leg.uuid, digitsId: dialDigitsId, digits })
      return
    }
    this.#tryBridge()
  }

  retrying(failed: Leg): void {
    if (failed !== this.#bridged) return
    this.#unbridge()
    this.#hearNext()
  }

  over(branch: Branch): void {
    if (branch.leg !== undefined && branch.leg === this.#bridged) this.#unbridge()
    if (branch === this.#hunt.winner) this.#finish(branch.reason)
    else if (this.#hunt.isSeeking) this.#hearNext()
  }

  failed(reason: EndReason): void {
    this.#finish(reason)
  }

  /** What the caller is best answered with. Softphones keep Opus, which bears the losses of their networks. */
  #codecOf(leg: Leg | undefined): CodecName | undefined {
    return this.#parts.endUser === undefined ? leg?.codec : undefined
  }

  /** One leg has ended and others may answer: the caller keeps its early media, gets that of the next leg, or ringing. */
  #hearNext(): void {
    this.early()
    if (this.#bridged === undefined) this.#ringCaller()
  }

  #ringCaller(): void {
    const { party, player } = this.#parts
    if (!(party.isAnswered || party.hasEarlyMedia) || this.#isRinging) return
    this.#isRinging = true
    player.ring(this.#request.ringTone)
  }

  #stopRinging(): void {
    if (!this.#isRinging) return
    this.#isRinging = false
    this.#parts.player.stopRinging()
  }

  /** Bridges the winner, or before an answer the first with early media, as soon as both sides have media. */
  #tryBridge(): void {
    const { party } = this.#parts
    const { isOver, winner, digits, audible } = this.#hunt
    if (isOver || this.#bridged !== undefined || !party.isListening) return
    // The remote gets its digits before the bridge.
    if (digits !== '' && this.#digitsSent !== 'yes') return
    if (audible === undefined || (winner !== undefined && !party.isAnswered)) return
    this.#stopRinging()
    this.#bridged = audible
    this.#host.emit({ type: 'media.bridge', legId: party.leg.uuid, otherLegId: audible.uuid })
    this.#record()
  }

  /** Once the winner and the caller are bridged. */
  #record(): void {
    const { party, recorder } = this.#parts
    if (this.#recordId !== undefined) return
    const { winner } = this.#hunt
    if (winner === undefined || this.#bridged !== winner.leg) return
    this.#recordId = recordDial(recorder, party.leg, this.#request.record)
  }

  #stopRecord(): void {
    if (this.#recordId !== undefined) this.#parts.recorder().stop(this.#recordId)
  }

  #unbridge(): void {
    this.#bridged = undefined
    this.#host.emit({ type: 'media.unbridge', legId: this.#parts.party.leg.uuid })
  }

  #finish(reason: EndReason): void {
    const outcome = this.#hunt.outcome(reason)
    if (!this.#hunt.end()) return
    this.#host.timers.clear(limitTimer)
    this.#stopRinging()
    this.#stopRecord()
    if (this.#bridged !== undefined) this.#unbridge()
    this.#parts.done(outcome)
  }
}
