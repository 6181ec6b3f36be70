import { api } from '../api.ts'
import { faultOf } from '../refused.ts'
import type { Trace } from './trace.ts'

/** What comes after `after`. Undefined: the switch keeps no trace of the call. */
export async function tracePage(uuid: string, after: number, signal: AbortSignal): Promise<Trace | undefined> {
  const options = { params: { path: { uuid }, query: { after } }, signal } as const
  const { data, error, response } = await api.GET('/calls/{uuid}/trace', options)
  if (response.status === 404) return undefined
  if (data === undefined) throw faultOf(error)
  return data as Trace
}
