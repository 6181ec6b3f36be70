import { useEffect, useRef, useState } from 'preact/hooks'
import { api, must } from './api.ts'
import { type CallList, type CallsAsked, withEvent } from './call-list.ts'
import { callsChanged, gaps, type LiveEvent, listen } from './live.ts'
import { useLoad } from './load.ts'

/** The events change the rows; what they leave open (an old call's recount) this mends. */
const againMs = 60_000

/** What is shown until another list was asked for: nothing flickers meanwhile. */
interface Shown {
  readonly key: string
  /** What the list was made from. */
  readonly answer: CallList | undefined
  readonly list: CallList | undefined
}

/** A list of calls that events change as they come, shown as often as a person can read. */
export function useCalls(asked: CallsAsked): {
  readonly list: CallList | undefined
  readonly error: Error | undefined
  readonly reload: () => void
} {
  const key = JSON.stringify(asked)
  const arrived = useRef<LiveEvent[]>([])
  useEffect(() => listen(events => arrived.current.push(...events)), [])
  const ask = () => must(api.GET('/calls/', { params: { query: asked } }))
  const { data, error, reload } = useLoad(`${key} ${gaps.value}`, ask, againMs)
  const shown = useRef<Shown>({ key, answer: undefined, list: undefined })
  const told = useRef(-1)
  if (shown.current.key !== key) shown.current = { key, answer: undefined, list: undefined }
  if (data !== undefined && data !== shown.current.answer) shown.current = { key, answer: data, list: data }
  if (told.current !== callsChanged.value && shown.current.list !== undefined) {
    told.current = callsChanged.value
    const list = arrived.current.reduce<CallList>(
      (before, event) => withEvent(before, asked, event),
      shown.current.list,
    )
    arrived.current = []
    shown.current = { ...shown.current, list }
  }
  const { list } = shown.current
  // Rows left that no longer fit, and the next ones are known to the switch alone.
  const isShort = list !== undefined && asked.offset === 0 && list.calls.length < Math.min(asked.limit, list.total)
  useEffect(() => {
    if (isShort) reload()
  }, [isShort, list?.total])
  return { list, error, reload }
}

/** Goes up with every event of the call. */
export function useChangesOf(sid: string | undefined): number {
  const [changes, change] = useState(0)
  useEffect(() => listen(events => events.some(event => event.sid === sid) && change(before => before + 1)), [sid])
  return changes
}
