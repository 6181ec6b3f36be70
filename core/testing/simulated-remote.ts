import { type Duration, durationMs } from '../document-builder/duration.ts'
import type { CallUuid, LegUuid } from '../model/ids.ts'
import { describeHeard, type Heard, heardText } from './heard.ts'

/** How a simulated call ended. */
export interface CallEnd {
  /** `END.<digits>`. */
  readonly reason: string
  /** In words, as in the call record. */
  readonly label: string
  readonly status: 'completed' | 'failed'
  readonly durationSeconds: number
  readonly talkSeconds: number
  /** Decimal KES. */
  readonly cost: string
}

/** What a remote needs of the simulation that it belongs to. */
interface RemoteWorld {
  readonly nowMs: number
  /** Runs until `isDone`, or for that time; resolves with whether it was done. */
  runUntil(isDone: () => boolean, forMs: number): Promise<boolean>
  at(delayMs: number, act: () => void): void
  press(legId: LegUuid, digit: string): void
  hangUp(legId: LegUuid): void
  answer(legId: LegUuid): void
  refuse(legId: LegUuid, status: number): void
  describe(remote: SimulatedRemote): string
  endOf(remote: SimulatedRemote): CallEnd | undefined
}

/** How long a key is held, and the pause after it. */
const digitMs = 100
const betweenDigitsMs = 100
const defaultWithin: Duration = '60s'
/** A call without an end within a day of virtual time has none. */
const longestCallMs = 24 * 3600 * 1000

/** The remote side of a leg, as a test plays it: it presses keys, speaks and hangs up; what it heard is a list. */
export class SimulatedRemote {
  readonly legId: LegUuid
  readonly #world: RemoteWorld
  readonly #heard: Heard[] = []
  #silentFrom = 0
  #mark = 0
  /** Known once the switch has taken the call. */
  callId: CallUuid | undefined
  /** The number or extension that a dialled party sees; undefined for a caller. */
  callerId: string | undefined
  /** A Dial rings it: its end is that of its leg, and the call may go on. */
  isDialled = false
  /** Virtual ms at which it answered, or was answered. */
  answeredAtMs: number | undefined

  constructor(world: RemoteWorld, legId: LegUuid) {
    this.#world = world
    this.legId = legId
  }

  /** All that it heard, in order. */
  get heard(): readonly Heard[] {
    return this.#heard
  }

  /** The same as lines: `say "Karibu"`, `play welcome`, `talk with +254711000001`. */
  get transcript(): readonly string[] {
    return this.#heard.map(describeHeard)
  }

  get isAnswered(): boolean {
    return this.answeredAtMs !== undefined
  }

  /** Virtual ms at which it fell silent, or will. */
  get silentFromMs(): number {
    return this.#silentFrom
  }

  /** @internal */
  add(heard: Heard): void {
    this.#heard.push(heard)
  }

  /** The playing sound ends. When it began after that time, it was not heard. @internal */
  cut(sinceMs: number): void {
    const last = this.#heard.at(-1)
    if (last === undefined || last.atMs <= sinceMs || !isPlayed(last) || this.#heard.length === this.#mark) return
    this.#heard.pop()
  }

  /**
   * Runs until it hears the text, source, tone, number or room, and resolves as that begins. What was heard before an
   * earlier `hears` is not looked at again. Rejects when it ends, or is not heard within the time (default 60 s).
   */
  async hears(what: string | RegExp, within: Duration = defaultWithin): Promise<Heard> {
    const fits = (heard: Heard) =>
      typeof what === 'string' ? heardText(heard).includes(what) : what.test(heardText(heard))
    const find = () => this.#heard.findIndex((heard, at) => at >= this.#mark && fits(heard))
    await this.#world.runUntil(() => find() !== -1 || this.#world.endOf(this) !== undefined, durationMs(within))
    const at = find()
    const heard = this.#heard[at]
    if (heard === undefined) throw new Error(this.#missed(what, within))
    this.#mark = at + 1
    return heard
  }

  /** Runs until it has answered, or was answered. Rejects when it ends before, or does not within the time (default 60 s). */
  async answers(within: Duration = defaultWithin): Promise<void> {
    await this.#world.runUntil(() => this.isAnswered || this.#world.endOf(this) !== undefined, durationMs(within))
    if (!this.isAnswered) throw new Error(this.#missing('was not answered', within))
  }

  /** Answers now, whatever its behaviour: for a dialled party that rings. Runs until the switch knows. */
  answer(): Promise<void> {
    if (this.callerId === undefined) throw new Error('answer(): this party called; only who was dialled answers')
    this.#refuseAfterEnd('answer()')
    this.#world.answer(this.legId)
    return this.answers()
  }

  /** Refuses with a SIP status, 400 to 699 (486 busy, 603 declined): for a dialled party that rings. */
  async refuse(status = 486): Promise<CallEnd> {
    if (this.callerId === undefined || this.isAnswered)
      throw new Error('refuse(): only who was dialled and has not answered refuses; hangUp() ends a call')
    this.#refuseAfterEnd('refuse()')
    this.#world.refuse(this.legId, status)
    return this.ended()
  }

  /** Presses keys (0-9 A-D * #), one after another; resolves when the last is up. Rejects after the end of the call. */
  async press(keys: string): Promise<void> {
    if (!/^[0-9A-D*#]+$/.test(keys)) throw new RangeError(`press("${keys}"): keys are 0-9 A-D * #`)
    this.#refuseAfterEnd(`press("${keys}")`)
    const stepMs = digitMs + betweenDigitsMs
    for (const [at, digit] of [...keys].entries()) {
      this.#world.at(at * stepMs + digitMs, () => this.#world.press(this.legId, digit))
    }
    const until = this.#world.nowMs + (keys.length - 1) * stepMs + digitMs
    await this.#world.runUntil(() => false, until - this.#world.nowMs)
  }

  /**
   * Speaks for that time: a Record waits for the silence after it. Time advances. Rejects after the end of the call.
   */
  async speak(duration: Duration): Promise<void> {
    const ms = durationMs(duration)
    this.#refuseAfterEnd(`speak("${duration}")`)
    this.#silentFrom = this.#world.nowMs + ms
    await this.#world.runUntil(() => false, ms)
  }

  /** Hangs up, and runs until the call has ended; for a dialled party, until its leg has ended. */
  hangUp(): Promise<CallEnd> {
    this.#world.hangUp(this.legId)
    return this.ended()
  }

  /**
   * Runs until the call has ended; for a dialled party, until its leg has. Rejects when it does not within a day of
   * virtual time.
   */
  async ended(): Promise<CallEnd> {
    await this.#world.runUntil(() => this.#world.endOf(this) !== undefined, longestCallMs)
    const end = this.#world.endOf(this)
    if (end !== undefined) return end
    throw new Error('the call was refused before it was recorded, or has not ended within a day of virtual time')
  }

  #missed(what: string | RegExp, within: Duration): string {
    const rest = this.#heard.slice(this.#mark).map(describeHeard).join(', ')
    const wanted = what instanceof RegExp ? String(what) : JSON.stringify(what)
    return this.#missing(`did not hear ${wanted}`, within, `; heard ${rest === '' ? 'nothing' : rest}`)
  }

  /** What did not happen, what happened instead, and the course up to there. */
  #missing(what: string, within: Duration, instead = ''): string {
    const end = this.#world.endOf(this)
    const how = end === undefined ? `within ${within}` : `before the call ended (${end.reason} ${end.label})`
    return `${what} ${how}${instead}\n${this.#world.describe(this)}`
  }

  #refuseAfterEnd(what: string): void {
    const end = this.#world.endOf(this)
    if (end === undefined) return
    throw new Error(`${what}: the call has ended (${end.reason} ${end.label})\n${this.#world.describe(this)}`)
  }
}

const isPlayed = ({ type }: Heard): boolean => type === 'say' || type === 'play' || type === 'tone'
