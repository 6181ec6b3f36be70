import { eventCatalogue } from '../../events/catalogue.ts'
import { callbackEnvelope } from '../../events/envelope.ts'
import { plainDetail } from '../../model/connection-fault.ts'
import type { CallUuid } from '../../model/ids.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { withoutSecrets } from '../../trace/redaction.ts'
import {
  type DeliveryInput,
  type DeliveryLimits,
  type DeliveryOutput,
  DeliverySchedule,
  defaultDeliveryLimits,
} from '../../webhooks/delivery-schedule.ts'
import { retryDelaysMs } from '../../webhooks/retry.ts'
import type { HttpAnswer, HttpClient } from '../http/index.ts'
import type { CallbackEnd } from '../store/callback-ends.ts'
import type { PendingCallback } from '../store/outbox.ts'
import type { Served } from '../store/served.ts'
import { type BacklogLimits, CallbackBacklog } from './callback-backlog.ts'
import { UnstoredEnds } from './unstored-ends.ts'

const longestPauseMs = Math.max(...retryDelaysMs)

interface CallbackDeliveryParts {
  readonly outbox: Served['outbox'] & { onAdded(listener: () => void): () => void }
  readonly callbackEnds: Served['callbackEnds']
  /** One of its own: the callbacks' connections are no document's. */
  readonly http: Pick<HttpClient, 'signedPost'>
  readonly clock: Clock
  readonly log: Log
  readonly uuid: () => string
  readonly limits?: DeliveryLimits
  readonly backlog?: BacklogLimits
  /** One try has ended. Default: none. */
  readonly tried?: ((callUuid: CallUuid, tried: Readonly<Record<string, unknown>>) => void) | undefined
}

/**
 * Delivers the outbox: wakes at the commit that adds a callback, keeps the schedule of retries in the database, so
 * that it survives a restart, and reports each end by an event of the stream (WH.0200, WH.0400).
 */
export class CallbackDelivery {
  readonly #parts: CallbackDeliveryParts
  readonly #schedule: DeliverySchedule
  readonly #callbacks = new Map<number, PendingCallback>()
  readonly #backlog: CallbackBacklog
  readonly #unstored: UnstoredEnds
  readonly #abort = new AbortController()
  #loading: 'no' | 'yes' | 'yes, and once more' = 'no'
  #cancelTimer: () => void = () => {}
  #stopListening: () => void = () => {}

  constructor(parts: CallbackDeliveryParts) {
    this.#parts = parts
    this.#schedule = new DeliverySchedule(parts.limits ?? defaultDeliveryLimits)
    this.#backlog = new CallbackBacklog(parts.outbox, parts.backlog)
    this.#unstored = new UnstoredEnds(parts)
  }

  /** Callbacks waiting or being sent, of those that are in memory. */
  get backlog(): number {
    return this.#schedule.size
  }

  start(): void {
    this.#stopListening = this.#parts.outbox.onAdded(() => this.#load())
    this.#load()
  }

  /** Abandons what is being sent: it stays in the outbox as it was, and is sent again after the next start. */
  stop(): void {
    this.#stopListening()
    this.#cancelTimer()
    this.#unstored.stop()
    this.#abort.abort()
  }

  /** What is added while the outbox is read is read after it. */
  #load(): void {
    if (this.#loading === 'no') void this.#loadAll()
    else this.#loading = 'yes, and once more'
  }

  async #loadAll(): Promise<void> {
    do {
      this.#loading = 'yes'
      try {
        await this.#backlog.load(callback => {
          if (this.#abort.signal.aborted) return
          this.#callbacks.set(callback.id, callback)
          this.#handle({ type: 'added', delivery: this.#deliveryOf(callback) })
        })
      } catch (fault) {
        // What waits is read with the next callback that is added, or at the next start.
        if (!this.#abort.signal.aborted) this.#parts.log.error({ fault: String(fault) }, 'the outbox could not be read')
      }
    } while (this.#loading !== 'yes' && !this.#abort.signal.aborted)
    this.#loading = 'no'
  }

  #deliveryOf({ id, accountUuid, url, callUuid, tries, dueUnix }: PendingCallback) {
    const { clock } = this.#parts
    const pauseMs = tries === 0 ? 0 : Math.min(longestPauseMs, Math.max(0, dueUnix - clock.unixMs()))
    return {
      id,
      account: accountUuid,
      endpoint: `${accountUuid} ${url}`,
      call: callUuid,
      tries,
      dueAt: clock.now() + pauseMs,
    }
  }

  #handle(input: DeliveryInput, attempt?: Attempt): void {
    this.#execute(this.#schedule.handle(input, this.#parts.clock.now()), attempt)
    this.#arm()
  }

  #arm(): void {
    this.#cancelTimer()
    const deadline = this.#schedule.deadline()
    if (deadline === undefined) return
    this.#cancelTimer = this.#parts.clock.at(deadline, () => {
      this.#execute(this.#schedule.timeout(this.#parts.clock.now()))
      this.#arm()
    })
  }

  #execute(outputs: readonly DeliveryOutput[], attempt?: Attempt): void {
    for (const output of outputs) {
      if (output.type === 'attempt') this.#attempt(output.id)
      else this.#record(output, attempt)
    }
  }

  #attempt(id: number): void {
    const { clock } = this.#parts
    const beganAt = clock.now()
    let event: string | undefined
    const named = (name: string) => {
      event = name
    }
    void this.#post(id, named)
      .catch((cause): HttpAnswer => ({ ok: false, fault: 'transport', detail: String(cause) }))
      .then(answer => {
        if (this.#abort.signal.aborted) return
        const attempt = { answer, event, ms: Math.round(clock.now() - beganAt) }
        this.#handle({ type: 'finished', id, delivered: answer.ok && isSuccess(answer.status) }, attempt)
      })
  }

  async #post(id: number, named: (event: string) => void): Promise<HttpAnswer> {
    const callback = this.#callbacks.get(id)
    const message = await this.#parts.outbox.message(id)
    if (callback === undefined || message === undefined) throw new Error('the event is gone')
    const { event, signingSecret } = message
    named(event.code)
    return await this.#parts.http.signedPost({
      owner: callback.accountUuid,
      url: callback.url,
      body: JSON.stringify(callbackEnvelope(event)),
      secret: signingSecret,
      unixSeconds: Math.floor(this.#parts.clock.unixMs() / 1000),
      event: eventCatalogue[event.code].event,
      wants: isSuccess,
      // Delivered at least once, and known by its id.
      isRepeatable: true,
      excerptBytes: longestAnswer,
      signal: this.#abort.signal,
    })
  }

  #record(output: Exclude<DeliveryOutput, { type: 'attempt' }>, attempt: Attempt | undefined): void {
    const callback = this.#callbacks.get(output.id)
    if (callback === undefined) return
    const { callbackEnds, clock, log, uuid, tried } = this.#parts
    const answer = attempt?.answer
    if (callback.callUuid !== null)
      tried?.(callback.callUuid as CallUuid, {
        url: callback.url,
        tries: output.tries,
        outcome: output.type,
        event: attempt?.event,
        ms: attempt?.ms,
        ...outcomeOf(answer),
        ...(answer?.ok === false && answer.cause && { cause: answer.cause }),
      })
    const unixMs = clock.unixMs()
    const end: CallbackEnd =
      output.type === 'retry'
        ? { type: 'retry', tries: output.tries, dueUnix: unixMs + output.delayMs }
        : { type: output.type, tries: output.tries, report: { uuid: uuid(), outcome: reportOf(answer) } }
    const stored = callbackEnds.store(callback, end, unixMs)
    if (output.type !== 'retry') {
      this.#callbacks.delete(output.id)
      if (this.#backlog.ended(callback)) this.#load()
    }
    stored.catch(fault => {
      log.error({ fault: String(fault) }, 'the end of a callback could not be stored')
      // A try that is not counted is one more after the next start; later ends are stored before that.
      if (end.type !== 'retry' && !this.#abort.signal.aborted) this.#unstored.add({ callback, end, unixMs })
    })
  }
}

/** One try that has ended. */
interface Attempt {
  readonly answer: HttpAnswer
  /** Code of the event; undefined: it was not even read. */
  readonly event: string | undefined
  readonly ms: number
}

/** Characters of an answer that are kept with the end of its callback, for support. */
const longestAnswer = 1024

const isSuccess = (status: number): boolean => status >= 200 && status <= 299

const outcomeOf = (answer: HttpAnswer | undefined): Readonly<Record<string, unknown>> => {
  if (answer === undefined) return {}
  return answer.ok ? { status: answer.status } : { fault: answer.fault, detail: answer.detail }
}

/** The outcome with the beginning of what the server answered. */
function reportOf(answer: HttpAnswer | undefined): Readonly<Record<string, unknown>> {
  if (answer?.ok === false) return { fault: answer.fault, detail: plainDetail(answer) }
  const outcome = outcomeOf(answer)
  if (answer === undefined || answer.body.length === 0) return outcome
  const text = new TextDecoder().decode(answer.body.subarray(0, longestAnswer)).replaceAll('\0', '')
  return { ...outcome, answer: withoutSecrets(text) }
}
