import { setTimeout as sleep } from 'node:timers/promises'
import { drawEntries, type Trace } from '../../../core/index.ts'
import { segment, withQuery } from './action.ts'
import type { ApiClient } from './client.ts'

const askEveryMs = 1000

interface Page extends Pick<Trace, 'legs' | 'entries' | 'end' | 'last'> {
  readonly is_over: boolean
  readonly has_more: boolean
}

/** Prints a call's timeline as it grows, until the call is over. */
export async function followTrace(
  client: ApiClient,
  sid: string,
  columns: number,
  print: (text: string) => void,
): Promise<void> {
  for (let after = 0; ; ) {
    const path = withQuery(`/calls/${segment(sid)}/trace`, { after })
    const page = (await client.request({ method: 'GET', path })).value as Page
    for (const line of drawEntries(page, columns)) print(`${line}\n`)
    after = page.last
    if (page.has_more) continue
    if (page.is_over) {
      const { end } = page
      if (end !== null) print(`\n${end.reason_code} ${end.reason_label}. ${end.sentence} ${end.advice}\n${end.link}\n`)
      for (const { code, sentence, advice, link } of end?.problems ?? [])
        print(`before  ${code} ${sentence} ${advice}\n${link}\n`)
      return
    }
    await sleep(askEveryMs)
  }
}
