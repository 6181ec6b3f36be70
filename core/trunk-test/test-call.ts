import { assertNever } from '../model/assert-never.ts'
import type { EndReason, LegCause } from '../model/end-reason.ts'
import type { CallUuid, LegUuid } from '../model/ids.ts'
import type { LegMediaStats } from '../model/leg-quality.ts'
import type { CodecName, Trunk } from '../model/trunk.ts'
import type { MediaCommand, MediaEvent, MediaSources, SrtpWish } from '../ports/media.ts'
import type { SignalingCommand, SignalingEvent } from '../ports/signaling.ts'
import { longestEchoMs, signalMs } from './echo-signal.ts'

/** Not answered by then: the call is cancelled. */
const ringMs = 10_000
/** What the answer's codec needs to be agreed; then there will be no audio. */
const agreeMs = 1000
/** Time that signalling and media have to end; then the known result is reported. */
const endMs = 4000
/** The echo's last part is recorded whole. */
const tailMs = longestEchoMs + 200
/** Beyond the signal and its tail: the recording ends with the call, not before. */
const recordMs = signalMs + tailMs + 5000

export interface TestCallPlan {
  readonly legId: LegUuid
  readonly callId: CallUuid
  readonly trunk: Trunk
  /** In the trunk's form. */
  readonly number: string
  readonly from: string
  readonly srtp: SrtpWish
  /** The signal as a WAV file, and where to record. */
  readonly signalFile: string
  readonly recordFile: string
}

/**
 * - `answered`: the signal was sent and the answer recorded
 * - `refused`: a final response, or no response; `cause` says which
 * - `no-answer`: it rang until we cancelled
 * - `hung-up`: the remote ended the call before the signal was sent whole
 * - `no-media`: it answered, but no codec or port is there for its audio
 * - `cancelled`: who asked went away
 */
type TestCallEnd = 'answered' | 'refused' | 'no-answer' | 'hung-up' | 'no-media' | 'cancelled'

/** What was measured; durations are from the INVITE on. */
export interface TestCallFigures {
  readonly end: TestCallEnd
  readonly cause: LegCause | undefined
  readonly ringingMs: number | undefined
  readonly answeredMs: number | undefined
  readonly endedMs: number
  readonly codec: CodecName | undefined
  readonly stats: LegMediaStats | undefined
  /** There is a file at `recordFile`. */
  readonly isRecorded: boolean
}

export type TestCallCommand = SignalingCommand | MediaCommand
export type TestCallEvent = SignalingEvent | MediaEvent

/**
 * - `opening`: media is asked for our offer
 * - `calling`: the INVITE is out
 * - `agreeing`: answered, and media reads the answer
 * - `sending`: the signal is sent and what comes back recorded
 * - `ending`: signalling and media are being ended
 */
type State = 'opening' | 'calling' | 'agreeing' | 'sending' | 'ending' | 'over'

const played = 'signal'
const recorded = 'echo'

/** A call through one trunk that belongs to no account: it sends a signal, records the answer and hangs up. */
export class TestCall {
  readonly plan: TestCallPlan
  #state: State = 'opening'
  #deadline: number | undefined
  #out: TestCallCommand[] = []
  #dialledAt: number
  #ringing: number | undefined
  #answered: number | undefined
  #ended: number | undefined
  #codec: CodecName | undefined
  #stats: LegMediaStats | undefined
  #end: TestCallEnd | undefined
  #cause: LegCause | undefined
  #isLegOver = true
  #isMediaOver = false
  #isRecording = false
  #isRecorded = false

  constructor(plan: TestCallPlan, now: number) {
    this.plan = plan
    this.#dialledAt = now
  }

  /** Undefined until it is over. */
  get figures(): TestCallFigures | undefined {
    if (this.#state !== 'over') return undefined
    return {
      end: this.#end ?? 'cancelled',
      cause: this.#cause,
      ringingMs: this.#ringing,
      answeredMs: this.#answered,
      endedMs: this.#ended ?? 0,
      codec: this.#codec,
      stats: this.#stats,
      isRecorded: this.#isRecorded,
    }
  }

  deadline(): number | undefined {
    return this.#deadline
  }

  start(now: number): readonly TestCallCommand[] {
    const { legId, callId, trunk, srtp } = this.plan
    const { codecs, host, mediaSource } = trunk
    this.#deadline = now + agreeMs
    this.#emit({
      type: 'media.open',
      legId,
      callId,
      toward: host,
      ...(codecs.length === 0 ? {} : { codecs }),
      ...(srtp === 'off' ? {} : { srtp }),
      ...(mediaSource === 'learned' ? {} : { mediaSource }),
      ...this.#sources(undefined),
    })
    return this.#take()
  }

  timeout(now: number): readonly TestCallCommand[] {
    if (this.#deadline === undefined || now < this.#deadline) return []
    this.#deadline = undefined
    switch (this.#state) {
      case 'opening':
      case 'agreeing':
        this.#finish('no-media', 'END.2408', now)
        break
      case 'calling':
        this.#finish('no-answer', 'END.0408', now)
        break
      case 'sending':
        this.#finish('answered', 'END.0200', now)
        break
      case 'ending':
        this.#over(now)
        break
      case 'over':
        break
      default:
        assertNever(this.#state)
    }
    return this.#take()
  }

  /** The request was closed, or the switch closes. */
  cancel(now: number): readonly TestCallCommand[] {
    if (this.#state !== 'ending' && this.#state !== 'over') this.#finish('cancelled', 'END.0487', now)
    return this.#take()
  }

  handle(event: TestCallEvent, now: number): readonly TestCallCommand[] {
    if (this.#state !== 'over') this.#step(event, now)
    return this.#take()
  }

  #step(event: TestCallEvent, now: number): void {
    switch (event.type) {
      case 'media.opened':
        if (this.#state === 'opening') this.#dial(event.sdp, now)
        return
      case 'leg.ringing':
        this.#ringing ??= now - this.#dialledAt
        return
      case 'leg.early':
        if (event.ringing) this.#ringing ??= now - this.#dialledAt
        this.#answer(event.sdp, event.source)
        return
      case 'leg.answered':
        this.#taken(event.sdp, event.source, now)
        return
      case 'media.ready':
        this.#codec = event.codec
        if (this.#state === 'agreeing') this.#send(now)
        return
      case 'media.failed':
        if (event.reoffer) this.#emit({ type: 'leg.refuse-reoffer', legId: this.plan.legId })
        else if (this.#state !== 'ending') this.#finish('no-media', 'END.0488', now)
        return
      case 'leg.reoffered': {
        const offer = event.sdp === undefined ? {} : { offer: event.sdp }
        this.#emit({ type: 'media.reoffer', legId: this.plan.legId, ...offer, ...this.#sources(event.source) })
        return
      }
      case 'media.reopened':
        this.#emit({ type: 'leg.reanswer', legId: this.plan.legId, sdp: event.sdp })
        return
      case 'leg.reconfirmed':
        if (event.sdp !== undefined) this.#answer(event.sdp, undefined)
        return
      case 'media.recorded':
        this.#isRecorded = event.endedBy !== 'failed'
        return
      case 'leg.ended':
        this.#isLegOver = true
        if (this.#state !== 'ending') this.#endedBy(event.cause, now)
        this.#settle(now)
        return
      case 'media.closed':
        this.#isMediaOver = true
        this.#stats = event.stats
        this.#settle(now)
        return
      default:
      // Digits and silence of an echo service mean nothing here.
    }
  }

  #dial(sdp: string, now: number): void {
    const { legId, callId, trunk, number, from } = this.plan
    this.#state = 'calling'
    this.#dialledAt = now
    this.#deadline = now + ringMs
    this.#isLegOver = false
    this.#emit({
      type: 'leg.dial',
      legId,
      callId,
      target: { kind: 'trunk', trunk, number },
      from: { user: from },
      sdp,
    })
  }

  #taken(sdp: string | undefined, source: string | undefined, now: number): void {
    if (this.#state !== 'calling') return
    this.#answered = now - this.#dialledAt
    this.#state = 'agreeing'
    this.#deadline = now + agreeMs
    if (sdp !== undefined) this.#answer(sdp, source)
    // Early media has agreed already.
    if (this.#codec !== undefined) this.#send(now)
  }

  #send(now: number): void {
    const { legId, signalFile, recordFile } = this.plan
    this.#state = 'sending'
    this.#deadline = now + signalMs + tailMs
    this.#isRecording = true
    const rules = { channels: 'dual', track: 'both', maxLengthMs: recordMs } as const
    this.#emit({ type: 'media.record-session', legId, recordId: recorded, path: recordFile, rules })
    this.#emit({ type: 'media.play', legId, playId: played, source: { kind: 'file', path: signalFile }, loop: 1 })
  }

  #endedBy(cause: LegCause, now: number): void {
    this.#cause = cause
    if (this.#state === 'calling') this.#finish('refused', undefined, now)
    else this.#finish('hung-up', undefined, now)
  }

  /** `reason` undefined: the remote has ended it. */
  #finish(end: TestCallEnd, reason: EndReason | undefined, now: number): void {
    const { legId } = this.plan
    this.#end = end
    this.#ended = now - this.#dialledAt
    this.#state = 'ending'
    this.#deadline = now + endMs
    if (this.#isRecording) this.#emit({ type: 'media.stop-record', legId, recordId: recorded })
    if (reason !== undefined && !this.#isLegOver) this.#emit({ type: 'leg.end', legId, reason })
    this.#emit({ type: 'media.close', legId })
  }

  #settle(now: number): void {
    if (this.#state === 'ending' && this.#isLegOver && this.#isMediaOver) this.#over(now)
  }

  #over(now: number): void {
    this.#state = 'over'
    this.#deadline = undefined
    this.#ended ??= now - this.#dialledAt
  }

  #answer(sdp: string, source: string | undefined): void {
    this.#emit({ type: 'media.answered', legId: this.plan.legId, sdp, ...this.#sources(source) })
  }

  #sources(sip: string | undefined): { readonly sources?: MediaSources } {
    const hosts = this.plan.trunk.mediaHosts
    return sip === undefined && hosts.length === 0 ? {} : { sources: { sip, hosts } }
  }

  #emit(command: TestCallCommand): void {
    this.#out.push(command)
  }

  #take(): readonly TestCallCommand[] {
    const out = this.#out
    this.#out = []
    return out
  }
}
