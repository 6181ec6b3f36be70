import type { Call } from '../../call/call.ts'
import type { ExchangeCommand } from '../../contract/exchange-command.ts'
import type { AccountUuid, CallUuid, LegUuid } from '../../model/ids.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Media, MediaCommand } from '../../ports/media.ts'

/** What an operator asked to have captured: the legs of one call, or those of all calls of an account. */
export interface AudioCapture {
  readonly uuid: string
  /** Empty: of an account. */
  readonly call: CallUuid | ''
  readonly account: AccountUuid
  readonly beganUnix: number
  readonly endsUnix: number
}

type OpenCommand = Extract<MediaCommand, { readonly type: 'media.open' }>

/** What reports legs that begin. */
interface LegWatch {
  legOpened: ((opened: OpenCommand) => void) | undefined
}

interface Running extends AudioCapture {
  readonly endsAt: number
}

interface AudioCapturesParts {
  readonly exchange: {
    known(id: string): Call | undefined
    live(account?: AccountUuid): readonly Call[]
    callOfLeg(legId: LegUuid): Call | undefined
  }
  readonly recorder: { command(command: ExchangeCommand): void }
  readonly clock: Clock
  readonly uuid: () => string
}

/** More at one time are refused: somebody has forgotten to end them. */
const mostCaptures = 100

/**
 * Audio goes into the trace only while an operator wants it: of legs that live, and of those that begin until its end.
 * It is in memory alone: after a restart nothing is captured.
 */
export class AudioCaptures {
  readonly #parts: AudioCapturesParts
  readonly #running = new Map<string, Running>()
  #media: Pick<Media, 'execute'> | undefined
  #runner: LegWatch | undefined

  constructor(parts: AudioCapturesParts) {
    this.#parts = parts
  }

  /** `runner` reports legs that begin, while any capture may want them. */
  connect(media: Pick<Media, 'execute'>, runner: LegWatch): void {
    this.#media = media
    this.#runner = runner
  }

  /** Oldest first. */
  get all(): readonly AudioCapture[] {
    this.#forgetEnded()
    return [...this.#running.values()]
  }

  /** By uuid or sid; undefined: no such call lives. */
  ofCall(id: string, seconds: number): AudioCapture | 'too-many' | undefined {
    const call = this.#parts.exchange.known(id)
    return call && this.#begin(call.callId, call.record.accountUuid, seconds, [call])
  }

  ofAccount(account: AccountUuid, seconds: number): AudioCapture | 'too-many' {
    return this.#begin('', account, seconds, this.#parts.exchange.live(account))
  }

  /** Before its time; false: there is none. */
  end(uuid: string): boolean {
    const found = this.#running.get(uuid)
    this.#running.delete(uuid)
    if (found === undefined || found.endsAt <= this.#parts.clock.now()) return false
    const call = this.#parts.exchange.known(found.call)
    const calls = found.call === '' ? this.#parts.exchange.live(found.account) : call === undefined ? [] : [call]
    for (const each of calls) this.#capture(each)
    return true
  }

  #begin(
    call: CallUuid | '',
    account: AccountUuid,
    seconds: number,
    calls: readonly Call[],
  ): AudioCapture | 'too-many' {
    this.#forgetEnded()
    if (this.#running.size >= mostCaptures) return 'too-many'
    const { clock, uuid } = this.#parts
    const beganUnix = clock.unixMs()
    const capture = { uuid: uuid(), call, account, beganUnix, endsUnix: beganUnix + seconds * 1000 }
    this.#running.set(capture.uuid, { ...capture, endsAt: clock.now() + seconds * 1000 })
    if (this.#runner !== undefined) this.#runner.legOpened = opened => this.#begun(opened)
    for (const each of calls) this.#capture(each)
    return capture
  }

  #begun({ callId, legId }: OpenCommand): void {
    this.#forgetEnded()
    const call = this.#parts.exchange.callOfLeg(legId)
    const forMs = this.#remainingMs(callId, call?.record.accountUuid)
    if (forMs > 0) this.#order(legId, forMs)
  }

  /** Every live leg of the call, for as long as any capture wants it. */
  #capture(call: Call): void {
    const forMs = this.#remainingMs(call.callId, call.record.accountUuid)
    for (const leg of call.legs.all) if (leg.isLive) this.#order(leg.uuid, forMs)
  }

  #order(legId: LegUuid, forMs: number): void {
    const command = { type: 'media.capture', legId, forMs } as const
    this.#parts.recorder.command(command)
    this.#media?.execute(command)
  }

  #remainingMs(callId: CallUuid, account: AccountUuid | undefined): number {
    const now = this.#parts.clock.now()
    let most = 0
    for (const { call, account: own, endsAt } of this.#running.values())
      if (call === callId || (call === '' && own === account)) most = Math.max(most, endsAt - now)
    return most
  }

  #forgetEnded(): void {
    const now = this.#parts.clock.now()
    for (const [uuid, { endsAt }] of this.#running) if (endsAt <= now) this.#running.delete(uuid)
    if (this.#running.size === 0 && this.#runner !== undefined) this.#runner.legOpened = undefined
  }
}
