import { t } from '../texts/index.ts'
import { Card, reachable } from '../ui/basics.tsx'
import type { TraceEntry } from './trace.ts'

/** Where the verb that began last stands, and the text of its document; undefined before the first one. */
function runningIn(entries: readonly TraceEntry[]) {
  const verb = entries.findLast(({ kind }) => kind === 'verb')
  if (verb === undefined) return undefined
  const { name, line, column, url } = verb.data
  // A document may be asked for several times: the verb is of the last answer before it.
  const answer = entries.findLast(
    ({ kind, seq, data }) =>
      kind === 'document' && seq < verb.seq && data.url === url && typeof data.body === 'string' && data.body !== '',
  )
  if (answer === undefined || typeof line !== 'number' || typeof column !== 'number') return undefined
  return { name: String(name), line, column, lines: String(answer.data.body).split('\n') }
}

/** The document that a live call is in; its running verb is marked. */
export function RunningVerb({ entries }: { readonly entries: readonly TraceEntry[] }) {
  const running = runningIn(entries)
  if (running === undefined) return null
  const { name, line, column, lines } = running
  const text = lines[line - 1]
  // What was cut, or covered as a secret, no longer has that place.
  if (text === undefined || !text.startsWith(`<${name}`, column - 1)) return null
  const end = text.indexOf('>', column)
  const after = end === -1 ? text.length : end + 1
  const before = [...lines.slice(0, line - 1), ''].join('\n') + text.slice(0, column - 1)
  const rest = [text.slice(after), ...lines.slice(line)].join('\n')
  return (
    <Card title={t('runningNow')}>
      <p class="soft">{t('runningVerb', { verb: `<${name}>`, line })}</p>
      <pre {...reachable}>
        {before}
        <mark aria-current="step">{text.slice(column - 1, after)}</mark>
        {rest}
      </pre>
    </Card>
  )
}
