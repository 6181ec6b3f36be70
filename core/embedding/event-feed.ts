import type { EventListener, LoggedEvent } from '../adapters/store/events.ts'
import { type StreamEnvelope, streamEnvelope } from '../events/envelope.ts'
import { SwitchError } from './errors.ts'
import { type NamesOf, refuseUnknown } from './known-options.ts'

/** An event of the switch, as the stream sends it, with its account and its place there. */
export interface SwitchEvent extends StreamEnvelope {
  /** The account's uuid. */
  readonly account: string
  /** 1, 2, 3 … within the account. */
  readonly seq: number
}

/** What is read. */
export interface EventsOptions {
  /** The uuid of an account: only its events. Default: those of all. */
  readonly account?: string
  /** Only with `account`: events after this `seq`, the stored ones first; 0 = from the first. Default: only events from now on. */
  readonly after?: number
  /** Ends the iteration. */
  readonly signal?: AbortSignal
}

const optionsOfEvents: NamesOf<EventsOptions> = { account: true, after: true, signal: true }

/** @internal */
interface EventSource {
  /** There is such an account. */
  hasAccount(account: string): Promise<boolean>
  subscribe(listener: EventListener): () => void
  after(account: string, seq: number, limit: number): Promise<readonly LoggedEvent[]> | readonly LoggedEvent[]
}

const pageSize = 200
/** Events that wait for a slow reader; more end its iteration with `events.overrun`. */
const maxWaiting = 10_000

const eventOf = ({ seq, event }: LoggedEvent): SwitchEvent => ({
  ...streamEnvelope(event),
  account: event.accountUuid,
  seq,
})

/**
 * Throws at once what is wrong with the options; an account that there is not ends the first `next()`.
 * @internal
 */
export function eventFeed(source: EventSource, options: EventsOptions): AsyncGenerator<SwitchEvent, void, undefined> {
  refuseUnknown('events', options, optionsOfEvents)
  const { account, after, signal } = options
  const refuse = (sentence: string): never => {
    throw new SwitchError('config.invalid', `events: ${sentence}`)
  }
  if (account !== undefined && (typeof account !== 'string' || account === ''))
    refuse(`account must be the uuid of an account, not ${shown(account)}`)
  if (after !== undefined && (!Number.isSafeInteger(after) || after < 0))
    refuse(`after must be 0 (from the first event) or the seq of an event, not ${shown(after)}`)
  if (after !== undefined && account === undefined)
    refuse('after needs account, since every account counts its events by itself: { account: uuid, after: seq }')
  if (signal !== undefined && !(signal instanceof AbortSignal)) refuse('signal must be an AbortSignal')
  return readEvents(source, options)
}

const shown = (value: unknown): string => (typeof value === 'string' ? `"${value.slice(0, 60)}"` : String(value))

/**
 * Stored events, then those that happen, each once and in order. Subscribes before it reads the log, so that nothing falls
 * between the two; an event that comes twice is recognized by its place.
 */
async function* readEvents(source: EventSource, options: EventsOptions): AsyncGenerator<SwitchEvent, void, undefined> {
  const { account, after, signal } = options
  const waiting: LoggedEvent[] = []
  let isOverrun = false
  let wake = () => {}
  const unsubscribe = source.subscribe(logged => {
    if (account !== undefined && logged.event.accountUuid !== account) return
    if (waiting.length >= maxWaiting) isOverrun = true
    else waiting.push(logged)
    wake()
  })
  const onAbort = () => wake()
  signal?.addEventListener('abort', onAbort)
  let last = after ?? 0
  try {
    if (account !== undefined && !(await source.hasAccount(account)))
      throw new SwitchError('not-found', `events: there is no account ${shown(account)}`)
    if (account !== undefined && after !== undefined) {
      for (;;) {
        const page = await source.after(account, last, pageSize)
        for (const logged of page) {
          if (signal?.aborted === true) return
          last = logged.seq
          yield eventOf(logged)
        }
        if (page.length < pageSize) break
      }
    }
    while (signal?.aborted !== true) {
      const logged = waiting.shift()
      if (logged !== undefined) {
        if (account !== undefined && logged.seq <= last) continue
        yield eventOf(logged)
      } else if (isOverrun)
        throw new SwitchError(
          'events.overrun',
          `more than ${maxWaiting} events waited for the reader; read again with "after"`,
        )
      else {
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
    }
  } finally {
    unsubscribe()
    signal?.removeEventListener('abort', onAbort)
  }
}
