import { fetchBytes } from '../api.ts'
import type { Trace } from './trace.ts'

/** Undefined: the switch keeps no trace of the call. */
export async function traceOf(uuid: string): Promise<Trace | undefined> {
  const answer = await fetchBytes(`/calls/${encodeURIComponent(uuid)}/trace`)
  return answer.ok ? ((await answer.json()) as Trace) : undefined
}
