import type { StreamEnvelope } from '../events/envelope.ts'
import { describeHeard } from './heard.ts'
import type { CallEnd, SimulatedRemote } from './simulated-remote.ts'

/** One step of a call, in words. `atMs`: virtual time since the start. */
export interface CourseStep {
  readonly atMs: number
  readonly text: string
}

/** A request for a document, as the customer's server would have seen it. */
export interface SimulatedRequest {
  readonly atMs: number
  /** Path and query below the switch's own base, else the whole URL. */
  readonly url: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** What a simulation has to show. */
interface Shown {
  readonly startsAt: Date
  readonly events: readonly StreamEnvelope[]
  readonly requests: readonly SimulatedRequest[]
}

/**
 * What happened in a simulation, oldest first: requests, keys, dialled legs, money, and what the caller of it, or another
 * party, heard. It is that of the whole simulation: make one for each call that is to be shown alone.
 */
export function courseOf(simulation: Shown, caller?: SimulatedRemote): readonly CourseStep[] {
  const startsUnix = simulation.startsAt.getTime()
  const steps: CourseStep[] = [
    ...simulation.events.flatMap(event => {
      const text = describeEvent(event)
      return text === undefined ? [] : [{ atMs: Date.parse(event.createdAt) - startsUnix, text }]
    }),
    ...(caller?.heard ?? []).map(heard => ({ atMs: Math.round(heard.atMs), text: describeHeard(heard) })),
    ...simulation.requests.map(request => ({ atMs: Math.round(request.atMs), text: describeRequest(request) })),
  ]
  // Array.prototype.sort is stable: of steps in one millisecond an event comes first, as what follows comes of it.
  return steps.sort((one, two) => one.atMs - two.atMs)
}

/** `   1.20 s  say "Karibu"`, a line a step. */
export const formatSteps = (steps: readonly CourseStep[]): string =>
  steps.map(({ atMs, text }) => `${(atMs / 1000).toFixed(2).padStart(8)} s  ${text}`).join('\n')

/** The steps, a line each, and how the call ended. */
export function formatCourse(steps: readonly CourseStep[], end: CallEnd): string {
  return [
    formatSteps(steps),
    '',
    `${end.status}: ${end.reason} ${end.label}; ${end.durationSeconds} s, ${end.talkSeconds} s of talk, ${end.cost} KES`,
  ].join('\n')
}

const callFields = new Set([
  'CallSid',
  'AccountSid',
  'Direction',
  'From',
  'To',
  'CallStatus',
  'customPayload',
  'endUser',
])

function describeRequest({ url, fields }: SimulatedRequest): string {
  const extras = Object.entries(fields)
    .filter(([name]) => !callFields.has(name))
    .map(([name, value]) => `${name}=${String(value)}`)
  return `document ${url}${extras.length === 0 ? '' : `  (${extras.join(', ')})`}`
}

function describeEvent({ code, data }: StreamEnvelope): string | undefined {
  const field = (name: string) => String(data[name] ?? '')
  switch (code) {
    case 'CALL.0100':
      return `call from ${field('from_number')} to ${field('to_number')}`
    case 'CALL.0200':
      return 'answered'
    case 'DTMF.0100':
      return `digit ${field('digit')}`
    case 'DIAL.0100':
      return `dial ${field('to_number')}, caller id ${field('from_number')}`
    case 'DIAL.0180':
      return `${field('to_number')} rings`
    case 'DIAL.0200':
      return `${field('to_number')} answers`
    case 'DIAL.0300':
    case 'DIAL.0400':
      return `${field('to_number')} ended: ${field('reason_code')}`
    case 'REC.0100':
      return 'recording starts'
    case 'REC.0200':
      return `recording of ${String((data.recording as { duration_seconds?: number } | undefined)?.duration_seconds ?? 0)} s`
    case 'CALL.0180':
    case 'CALL.0300':
    case 'CALL.0400':
    case 'BILL.0200':
      return undefined
    default:
      return `${code}${data.line === undefined ? '' : ` line ${field('line')}:${field('column')}`} ${field('message') || field('detail') || JSON.stringify(data)}`
  }
}
