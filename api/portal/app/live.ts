import { signal } from '@preact/signals'
import { api, sessions, whenCustomerLeaves } from './api.ts'

// The event stream of the account: lists and figures follow it, so that no page polls every second.

export interface LiveEvent {
  readonly seq: number
  readonly code: string
  readonly event: string
  readonly sid: string
  readonly createdAt: string
  readonly customPayload?: Readonly<Record<string, unknown>>
  readonly data: Readonly<Record<string, unknown>>
}

const kept = 500
const againMs = 3000
export const events = signal<readonly LiveEvent[]>([])
export const isLive = signal(false)
/** So soon after a change a page asks again; with many of them, no more often than a person can read. */
const tellMs = 500
const tellSeldomMs = 10_000
/** After a single burst: one call's beginning is many events, too, and its page is waited for. */
const tellBurstMs = 1500
/** Events in one `tellMs` that are many. */
const many = 8
/** Goes up when calls have changed. */
export const callsChanged = signal(0)
/** Goes up when events were missed: what follows them must be asked for. */
export const gaps = signal(0)
const listeners = new Set<(events: readonly LiveEvent[]) => void>()
let isTelling = false
let arrived: LiveEvent[] = []
let socket: WebSocket | undefined
let isOpening = false
let last: number | undefined

/** All events from now on, in their order, some at a time; returns how to end it. */
export function listen(listener: (events: readonly LiveEvent[]) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export async function follow(): Promise<void> {
  const session = sessions.value?.customer?.session
  if (socket !== undefined || isOpening || session === undefined) return
  isOpening = true
  const { data } = await api.POST('/stream/token', {}).catch(() => ({ data: undefined }))
  isOpening = false
  if (sessions.value?.customer?.session !== session) {
    // Another one signed in meanwhile.
    follow()
    return
  }
  if (data === undefined) {
    // The switch restarts, or is busy.
    setTimeout(follow, againMs)
    return
  }
  const after = last === undefined ? '' : `&after=${last}`
  const base = location.origin.replace(/^http/, 'ws')
  const opened = new WebSocket(`${base}/stream?token=${encodeURIComponent(data.token)}${after}`)
  socket = opened
  opened.onopen = () => {
    isLive.value = true
  }
  opened.onmessage = ({ data: text }) => {
    if (socket !== opened) return
    const event = JSON.parse(String(text)) as LiveEvent
    last = event.seq
    arrived.unshift(event)
    if (isTelling) return
    isTelling = true
    setTimeout(tellAll, tellMs)
  }
  opened.onclose = ({ code }) => {
    if (socket !== opened) return
    isLive.value = false
    socket = undefined
    if (code === 4010) {
      last = undefined
      gaps.value++
    }
    if (sessions.value?.customer) setTimeout(follow, againMs)
  }
}

let toldAt = 0
let wasBusy = false
function tellAll(): void {
  const isBusy = arrived.length >= many
  const laterMs = wasBusy ? tellSeldomMs : tellBurstMs
  wasBusy = isBusy
  const inOrder = arrived.toReversed()
  for (const listener of listeners) listener(inOrder)
  events.value = [...arrived, ...events.value].slice(0, kept)
  arrived = []
  isTelling = false
  if (isBusy && performance.now() - toldAt < tellSeldomMs) {
    tellLater(laterMs)
    return
  }
  toldAt = performance.now()
  callsChanged.value++
}

/** The last change is always told. */
let isLater = false
function tellLater(ms: number): void {
  if (isLater) return
  isLater = true
  setTimeout(() => {
    isLater = false
    toldAt = performance.now()
    callsChanged.value++
  }, ms)
}

whenCustomerLeaves(() => {
  socket?.close()
  socket = undefined
  isLive.value = false
  arrived = []
  events.value = []
  last = undefined
})
