import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import type { VoiceEvent } from '../../../events/voice-event.ts'
import { assertNever } from '../../../model/assert-never.ts'
import { RealTimePrecedence, readerPrecedence, writerPrecedence } from '../../system/real-time-precedence.ts'
import { silentLog } from '../../system/silent-log.ts'
import { systemClock } from '../../system/system-clock.ts'
import { giveWay, goBefore } from '../../system/thread-niceness.ts'
import { type Database, openDatabase } from '../database.ts'
import { unusableStore } from '../errors.ts'
import { recover } from '../recovery.ts'
import type { StoreParts } from '../served.ts'
import { storeOver } from '../store.ts'
import { storeParts } from '../store-parts.ts'
import { faultOf } from './faults.ts'
import {
  type FromStore,
  type Known,
  type News,
  type StoreCall,
  type StoreThreadConfig,
  type ToStore,
  unitOf,
} from './protocol.ts'

// The main file of a thread of the store: the same classes as without threads, between two message unions.

const port = parentPort
if (port === null) throw new Error('store-thread.ts is the main file of a worker')
const { role, folder, publicUrl, database: options, quotas, precedence } = workerData as StoreThreadConfig
const post = (message: FromStore): void => port.postMessage(message)

const { niceness, mediaThreads = 0 } = precedence
if (niceness < 0) {
  const realTime = role === 'writer' ? writerPrecedence : readerPrecedence
  if (goBefore(niceness)) new RealTimePrecedence(realTime(mediaThreads)).keep()
} else if (role === 'reader') giveWay(niceness)

/** Events that the asking thread has: by the request and the change that brought them. */
const brought = new WeakMap<VoiceEvent, { readonly id: number; readonly at: number }>()
let database: Database | undefined
let parts: StoreParts | undefined
let news: News[] = []

/** What a commit brings about leaves in one message. */
function addNews(item: News): void {
  if (news.length === 0) setImmediate(sendNews)
  news.push(item)
}

function sendNews(): void {
  if (news.length === 0) return
  const sent = news
  news = []
  try {
    post({ type: 'news', news: sent })
  } catch {
    for (const item of sent) postAlone(item)
  }
}

/** One that cannot be copied becomes a fault of its request, so that the others arrive. */
function postAlone(item: News): void {
  try {
    post({ type: 'news', news: [item] })
  } catch (cause) {
    if (item.type !== 'answer') throw cause
    post({ type: 'news', news: [{ type: 'fault', id: item.id, fault: faultOf(cause) }] })
  }
}

async function open(isRecovering: boolean, doubted: readonly string[]): Promise<void> {
  database = openDatabase(folder, { ...options, readOnly: role === 'reader' })
  const store = storeOver(database, { clock: systemClock, log: silentLog, quotas })
  parts = storeParts(store, publicUrl)
  if (role === 'reader') {
    post({ type: 'opened' })
    return
  }
  const began = performance.now()
  const recovered = isRecovering
    ? await recover(store, {
        recordingsFolder: join(folder, 'recordings'),
        unixMs: systemClock.unixMs(),
        uuid: () => crypto.randomUUID(),
      }).catch(cause => {
        throw unusableStore(folder, cause)
      })
    : undefined
  const tookMs = Math.round(performance.now() - began)
  const { trunks, rates, destinations, phoneTokens, numbers } = parts
  store.events.subscribe(logged => {
    const by = brought.get(logged.event)
    addNews(by === undefined ? { type: 'event', logged } : { type: 'own-event', ...by, seq: logged.seq })
  })
  store.outbox.onAdded(() => addNews({ type: 'callbacks-added' }))
  database.onCommit((durationMs, units) => addNews({ type: 'committed', durationMs, units }))
  database.onBlocked(isBlocked => addNews({ type: 'blocked', isBlocked }))
  trunks.watch(() => addNews({ type: 'trunks', trunks: trunks.current() }))
  rates.watch(() => addNews({ type: 'rates', rates: rates.packed() }))
  destinations.watch(() => addNews({ type: 'destinations', destinations: destinations.get() }))
  phoneTokens.watch((endUserUuid, tokens) => addNews({ type: 'tokens', endUserUuid, tokens }))
  phoneTokens.onRevoked(record => addNews({ type: 'token-revoked', record }))
  const known: Known = {
    trunks: trunks.current(),
    rates: rates.packed(),
    destinations: destinations.get(),
    tokens: phoneTokens.unexpired(systemClock.unixMs()),
    numbers: Float64Array.from(numbers.digits()),
  }
  const written = parts.events.among(doubted)
  post({ type: 'opened', known, written, ...(recovered === undefined ? {} : { recovered: { ...recovered, tookMs } }) })
}

async function close(): Promise<void> {
  // A rate deck takes some turns.
  await parts?.rates.settled()
  database?.close()
  // What the last commit has settled is reported in the turns that follow.
  setImmediate(() =>
    setImmediate(() => {
      sendNews()
      post({ type: 'closed' })
      port?.close()
    }),
  )
}

/** The caller's types hold: `served.ts` names every method that is asked for. */
type Methods = Readonly<Record<string, Readonly<Record<string, (...args: readonly unknown[]) => unknown>>>>

async function answer(call: StoreCall): Promise<void> {
  const { id, part, method, args } = call
  try {
    for (const [at, change] of unitOf(call).entries())
      if (change.type === 'event.append') brought.set(change.event, { id, at })
    const owner = (parts as unknown as Methods | undefined)?.[part]
    if (owner?.[method] === undefined) throw new Error(`there is no ${part}.${method}`)
    addNews({ type: 'answer', id, value: await owner[method](...args) })
  } catch (cause) {
    addNews({ type: 'fault', id, fault: faultOf(cause) })
  }
}

// Requests that cannot be read would never be answered: this thread ends, and is started again.
port.on('messageerror', error => {
  throw error
})

port.on('message', (message: ToStore) => {
  switch (message.type) {
    case 'open':
      open(message.recover, message.doubted).catch(cause => post({ type: 'not-opened', fault: faultOf(cause) }))
      return
    case 'calls':
      for (const call of message.calls) void answer(call)
      return
    case 'close':
      void close()
      return
    default:
      assertNever(message)
  }
})
