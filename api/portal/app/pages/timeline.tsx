import { useState } from 'preact/hooks'
import { filter, place } from '../router.ts'
import { t, word } from '../texts/index.ts'
import { Badge, Data } from '../ui/basics.tsx'
import { PartPager, useParts } from '../ui/parts.tsx'
import { SentenceText } from '../ui/sentence-text.tsx'
import type { TraceEntry } from './trace.ts'

const tones: Readonly<Record<string, 'good' | 'bad' | 'warn' | 'calm' | 'live'>> = {
  document: 'live',
  webhook: 'warn',
  money: 'good',
  call: 'calm',
}

/** What happened, line by line, by kind where one is chosen. */
export function Timeline({ entries, isLive }: { readonly entries: readonly TraceEntry[]; readonly isLive: boolean }) {
  const kind = place.value.query.get('kind') ?? ''
  const choose = (chosen: string) => filter({ kind: chosen, part: '' })
  const kinds = [...new Set(entries.map(entry => entry.kind))]
  const fitting = kind === '' ? entries : entries.filter(entry => entry.kind === kind)
  const { shown, ...parts } = useParts('part', fitting, isLive)
  return (
    <>
      <fieldset class="chips">
        <legend class="hidden">{t('kind')}</legend>
        {['', ...kinds].map(each => (
          <button type="button" key={each} aria-pressed={each === kind} onClick={() => choose(each)}>
            {each === '' ? t('all') : word('trace', each)}
          </button>
        ))}
      </fieldset>
      <ol class="timeline kinds">
        {shown.map(entry => (
          <li key={entry.seq}>
            <Entry entry={entry} />
          </li>
        ))}
      </ol>
      <PartPager {...parts} />
    </>
  )
}

/** Its data is laid out once it is asked for: a trace may hold megabytes of messages and documents. */
function Entry({ entry }: { readonly entry: TraceEntry }) {
  const [isOpen, open] = useState(false)
  return (
    <details onToggle={event => open(event.currentTarget.open)}>
      <summary>
        <span class="at figure">{(entry.ms / 1000).toFixed(2)} s</span>
        <Badge tone={tones[entry.kind] ?? 'calm'}>
          {entry.leg === null ? word('trace', entry.kind) : `${word('trace', entry.kind)} ${entry.leg}`}
        </Badge>
        <span class="text">
          <SentenceText of={entry.text} />
        </span>
      </summary>
      {isOpen && <Data value={entry.data} />}
    </details>
  )
}
