import { setTimeout as sleep } from 'node:timers/promises'
import { drawEnd, drawEntries, type Trace } from '../../../core/index.ts'
import { segment, withQuery } from './action.ts'
import type { ApiClient } from './client.ts'

const askEveryMs = 1000

interface Page extends Pick<Trace, 'legs' | 'entries' | 'end' | 'last'> {
  readonly is_over: boolean
  readonly has_more: boolean
}

/** Prints a call's timeline as it grows, until the call is over; as JSON a page a line, if it has any entries or is the last. */
export async function followTrace(
  client: ApiClient,
  sid: string,
  columns: number,
  isJson: boolean,
  print: (text: string) => void,
): Promise<void> {
  for (let after = 0; ; ) {
    const path = withQuery(`/calls/${segment(sid)}/trace`, { after })
    const page = (await client.request({ method: 'GET', path })).value as Page
    const isLast = page.is_over && !page.has_more
    if (!isJson) {
      for (const line of drawEntries(page, columns)) print(`${line}\n`)
      if (isLast && page.end !== null) print(`\n${drawEnd(page.end, columns).join('\n')}\n`)
    } else if (isLast || page.last > after) print(`${JSON.stringify(page)}\n`)
    if (isLast) return
    after = page.last
    if (!page.has_more) await sleep(askEveryMs)
  }
}
