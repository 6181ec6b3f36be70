import { parentPort, workerData } from 'node:worker_threads'
import { MediaTapeReader } from '../../../rtp/index.ts'
import { reasonPhrase } from '../../../sip/index.ts'
import { assertNever } from '../../model/assert-never.ts'
import type { LegUuid } from '../../model/ids.ts'
import { hepPacket } from '../../trace/hep.ts'
import type { SipRecord } from '../../trace/sip-record.ts'
import type { TraceAnswer } from '../../trace/trace.ts'
import { traceAnswer } from '../../trace/trace-answer.ts'
import { TraceBook } from '../../trace/trace-book.ts'
import { TraceOutlet } from '../../trace/trace-inlet.ts'
import { NameResolver } from '../names/index.ts'
import { giveWay } from '../system/thread-niceness.ts'
import { HomerSender } from './homer-sender.ts'
import { TraceFiles } from './trace-files.ts'
import {
  type FromTraces,
  type ToTraces,
  type TraceFigure,
  type TraceThreadConfig,
  traceFigures,
} from './trace-protocol.ts'

// The main file of the thread of traces: it takes what the signalling thread has written, keeps it, and answers readers.

const port = parentPort
if (port === null) throw new Error('trace-thread.ts is the main file of a worker')
const { inlet, tapes, figures, memoryBytes, rtpHeaders, disk, hep, dns } = workerData as TraceThreadConfig
const post = (message: FromTraces, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer)

/** Signalling and media come first. */
const niceness = 5
giveWay(niceness)

/**
 * How often what was written is taken. Nothing wakes this thread: that would cost the writer more than all else. Each time
 * it wakes, its code and data come back into the processor's cache, so it wakes rarely; readers do not wait for it. A Homer
 * server gets its packets in smaller bursts.
 */
const drainEveryMs = hep === undefined ? 2000 : 250
/** How often it looks whether a shared memory fills faster than this part of it in that time: it is taken then, before the rest is full. */
const lookEveryMs = Math.min(500, drainEveryMs)
const busyFill = 1 / 8
const leastDrainEveryMs = 25
/** A timer may fire this much early by another clock. */
const timerSlackMs = 2
const keepEveryMs = 1000

const shared = new Float64Array(figures)
const setFigure = (name: TraceFigure, value: number): void => {
  shared[traceFigures.indexOf(name)] = value
}

/** Audio that is captured of one call: half an hour of two legs with G.711, where the disk has room for sixteen such calls. */
const mostAudioBytes = 64 * 1024 * 1024
const audioShareOfDisk = 16

const faults = new Set<string>()
function fault(detail: string): void {
  if (faults.has(detail) || faults.size > 100) return
  faults.add(detail)
  post({ type: 'fault', detail })
}

let unreadable = 0
let drainedAt = performance.now()

/** Where it failed: the message itself may hold what customers wrote. */
function placeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause
  const { name, message, stack = '' } = cause
  const frames = stack.slice(stack.indexOf(message) + message.length).split('\n')
  return [name, ...frames.map(frame => frame.trim()).filter(frame => frame !== '')].slice(0, 4).join(' ')
}

const files = openFiles()
const homer = hep === undefined ? undefined : new HomerSender(hep, new NameResolver({ servers: dns }))
const mirror = homer === undefined ? undefined : (sip: SipRecord, unixMs: number) => homer.send(hepPacket(sip, unixMs))
const book = new TraceBook({
  memoryBytes,
  rtpHeaders,
  phraseOf: reasonPhrase,
  ...(files === undefined || disk === undefined
    ? {}
    : { store: files, audioBytes: Math.min(mostAudioBytes, disk.bytes / audioShareOfDisk) }),
  ...(mirror === undefined ? {} : { mirror }),
})
const outlet = new TraceOutlet(inlet, book, cause => {
  unreadable++
  fault(`an entry could not be kept: ${placeOf(cause)}`)
})
const readers = tapes.map(
  tape =>
    new MediaTapeReader(tape, {
      point: (session, unixMs, point) => book.rtp(unixMs, session as LegUuid, point),
      packet: (session, unixMs, packet) => book.packet(unixMs, session as LegUuid, packet),
      audio: (session, unixMs, packet) => book.audio(unixMs, session as LegUuid, packet),
    }),
)

const fillNow = (): number => readers.reduce((most, reader) => Math.max(most, reader.fill), outlet.fill)

/** Legs are noted before their media is. Returns after how long the memories are to be looked at again. */
function drain(): number {
  const now = performance.now()
  const fill = fillNow()
  outlet.drain()
  for (const reader of readers) reader.drain()
  const sinceMs = now - drainedAt
  drainedAt = now
  return fill === 0 ? lookEveryMs : Math.min(lookEveryMs, Math.max(leastDrainEveryMs, (sinceMs * busyFill) / fill))
}

/** Where the folder cannot be had, traces are kept in memory alone. */
function openFiles(): TraceFiles | undefined {
  if (disk === undefined) return undefined
  try {
    return new TraceFiles({ ...disk, unixMs: Date.now, fault })
  } catch (cause) {
    fault(`traces are not kept on the disk: ${cause instanceof Error ? cause.message : String(cause)}`)
    return undefined
  }
}

function keep(): void {
  book.tick(Date.now())
  files?.purge()
  show()
}

/** What readers of the figures see. */
function show(): void {
  setFigure('records', book.counters.records)
  setFigure('cut', book.counters.cut)
  setFigure('memoryBytes', book.counters.memoryBytes)
  setFigure('droppedBytes', book.counters.droppedBytes)
  setFigure('unreadable', unreadable)
  setFigure(
    'missedMedia',
    readers.reduce((sum, { dropped }) => sum + dropped, 0),
  )
  if (files === undefined) return
  setFigure('diskBytes', files.counters.bytes)
  setFigure('purgedBytes', files.counters.purgedBytes)
  setFigure('diskCalls', files.counters.calls)
  setFigure('diskFaults', files.counters.faults)
}

function answer({ id, call, query }: Extract<ToTraces, { type: 'read' }>): void {
  drain()
  show()
  let found: TraceAnswer | undefined
  try {
    found = traceAnswer(book, call, query)
  } catch (cause) {
    fault(`a trace could not be read: ${placeOf(cause)}`)
  }
  if (found === undefined) {
    post({ type: 'answer', id, answer: undefined })
    return
  }
  // The buffer that is transferred must be the answer's own, and no larger than it.
  const body = found.body.slice()
  post({ type: 'answer', id, answer: { ...found, body } }, [body.buffer])
}

let keptAt = performance.now()
let lookAgainMs = lookEveryMs
let timer = setTimeout(work, lookAgainMs)

function work(): void {
  const isDue = performance.now() - drainedAt >= drainEveryMs - timerSlackMs || fillNow() >= busyFill
  if (isDue) lookAgainMs = drain()
  const now = performance.now()
  if (now - keptAt >= keepEveryMs) {
    keptAt = now
    keep()
  }
  timer = setTimeout(work, lookAgainMs)
}

port.on('message', (message: ToTraces) => {
  switch (message.type) {
    case 'read':
      answer(message)
      return
    case 'close':
      clearTimeout(timer)
      drain()
      book.close()
      files?.close()
      homer?.close()
      post({ type: 'closed' })
      port.close()
      return
    default:
      assertNever(message)
  }
})
