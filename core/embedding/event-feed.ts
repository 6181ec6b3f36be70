import type { EventListener, LoggedEvent } from '../adapters/store/events.ts'
import { type StreamEnvelope, streamEnvelope } from '../events/envelope.ts'
import { SwitchError } from './errors.ts'

/** An event of the switch, as the stream sends it, with its account and its place there. */
export interface SwitchEvent extends StreamEnvelope {
  /** The account's uuid. */
  readonly account: string
  /** 1, 2, 3 … within the account. */
  readonly seq: number
}

/** What is read. */
export interface EventsOptions {
  /** Only events of this account. Default: of all. */
  readonly account?: string
  /** With `account`: events after this place, the stored ones first. Default: only events from now on. */
  readonly after?: number
  /** Ends the iteration. */
  readonly signal?: AbortSignal
}

/** @internal */
interface EventSource {
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
 * Stored events, then those that happen, each once and in order. Subscribes before it reads the log, so that nothing falls
 * between the two; what comes twice is told by its place.
 * @internal
 */
export async function* eventFeed(
  source: EventSource,
  options: EventsOptions,
): AsyncGenerator<SwitchEvent, void, undefined> {
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
