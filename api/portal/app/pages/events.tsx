import { useState } from 'preact/hooks'
import { api, must } from '../api.ts'
import { number } from '../format.ts'
import { events, isLive } from '../live.ts'
import { useLoad } from '../load.ts'
import { inLanguage, reasonPage } from '../reason-link.ts'
import { filter, href, place } from '../router.ts'
import { eventText } from '../switch-texts/index.ts'
import { t, word } from '../texts/index.ts'
import { Badge, Button, Card, Copy, Data, Empty, Page, Select, Trouble, Waiting } from '../ui/basics.tsx'
import { ProblemText } from '../ui/said.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { beforeOf, SeqPager } from '../ui/table.tsx'
import { When } from '../ui/when.tsx'
import { summaryOf } from './event-summary.ts'

const groups = ['CALL.', 'DIAL.', 'REC.', 'BILL.', 'DTMF.', 'WH.', 'DOC.', 'PLAY.', 'SAY.', 'ACCT.'] as const

/** In place of a code: all that went wrong, or soon will. */
const problems = 'problems'

const pageOfEvents = 100
/** With those that came while the page was open. */
const mostRows = 300

export default function Events() {
  const { query } = place.value
  const code = query.get('code') ?? ''
  const isWrong = code === problems
  const sid = query.get('sid') ?? ''
  const [isPaused, pause] = useState(false)
  const [frozen, freeze] = useState(events.value)
  const before = beforeOf()
  const past = useLoad(`events ${code} ${sid} ${before}`, () =>
    must(
      api.GET('/events/', {
        params: {
          query: {
            limit: pageOfEvents,
            ...(code === '' || isWrong ? {} : { code }),
            ...(isWrong ? { problems: 'true' as const } : {}),
            ...(sid === '' ? {} : { sid }),
            ...(before === undefined ? {} : { before }),
          },
        },
      }),
    ),
  )
  // New ones stand above the newest page alone.
  const live = (before !== undefined ? [] : isPaused ? frozen : events.value).filter(
    event =>
      (isWrong ? summaryOf(event.code, event.data).tone !== 'calm' : event.code.startsWith(code)) &&
      (sid === '' || event.sid === sid),
  )
  const known = new Set(live.map(event => event.seq))
  const rows = [
    ...live.map(event => ({ ...event, created_at: event.createdAt })),
    ...(past.data ?? []).filter(event => !known.has(event.seq)),
  ].slice(0, mostRows)
  const isFiltered = code !== '' || sid !== '' || before !== undefined
  const clear = () => filter({ code: '', sid: '', before: '' })
  return (
    <Page
      title={t('events')}
      lead={
        <Badge tone={isLive.value && !isPaused ? 'live' : 'calm'}>
          {t(isPaused ? 'paused' : isLive.value ? 'live' : 'notLive')}
        </Badge>
      }
      actions={
        <Button
          glyph={isPaused ? 'play' : 'pause'}
          onClick={() => {
            freeze(events.value)
            pause(!isPaused)
          }}
        >
          {t(isPaused ? 'resume' : 'pause')}
        </Button>
      }
    >
      <search>
        <form class="filters" onSubmit={event => event.preventDefault()}>
          <Select
            aria-label={t('kind')}
            value={code}
            options={[
              ['', t('all')],
              [problems, t('problemsOnly')],
              ...groups.map(group => [group, word('events', group)] as const),
            ]}
            change={chosen => filter({ code: chosen, before: '' })}
          />
          <SearchField
            label={t('callSid')}
            placeholder={t('callSid')}
            value={sid}
            change={chosen => filter({ sid: chosen, before: '' })}
          />
          {isFiltered && <Button onClick={clear}>{t('clear')}</Button>}
        </form>
      </search>
      <Trouble error={past.error} retry={past.reload} />
      <Card>
        {past.data === undefined && past.error === undefined ? (
          <Waiting />
        ) : rows.length === 0 ? (
          <Empty action={isFiltered && <Button onClick={clear}>{t('clear')}</Button>}>
            {t(isFiltered ? 'noEventsFit' : 'noEvents')}
          </Empty>
        ) : (
          <ol class="timeline whole codes">
            {rows.map(event => (
              <li key={event.seq}>
                <details>
                  <summary>
                    <span class="at wide">
                      <When iso={event.created_at} />
                    </span>
                    <Badge tone={summaryOf(event.code, event.data).tone}>{event.code}</Badge>
                    <span class="text">
                      <What code={event.code} name={event.event} />
                      <About code={event.code} data={event.data} />
                    </span>
                  </summary>
                  {event.sid !== '' && (
                    <span class="with-copy">
                      <a href={href('calls', event.sid)}>
                        {t('call')} {event.sid}
                      </a>
                      <Copy text={event.sid} label={event.sid} />
                    </span>
                  )}
                  <Why data={event.data} />
                  <Data value={event.data} />
                </details>
              </li>
            ))}
          </ol>
        )}
        <SeqPager last={rows.at(-1)?.seq} hasMore={past.data?.length === pageOfEvents || rows.length === mostRows} />
      </Card>
    </Page>
  )
}

/** What it reports, in the language of the page, with the name that programs know it by. */
function What({ code, name }: { readonly code: string; readonly name: string }) {
  const text = eventText(code)
  return text === undefined ? (
    name
  ) : (
    <>
      {text} <code lang="en">{name}</code>
    </>
  )
}

/** What it is about, so that few rows need to be opened. */
function About({ code, data }: { readonly code: string; readonly data: unknown }) {
  const { facts, reason } = summaryOf(code, data)
  const words = [...facts.map(fact => fact.replace(/\+\d+/g, number)), ...(reason === '' ? [] : [word('end', reason)])]
  return words.length === 0 ? null : <span class="soft"> · {words.join(' · ')}</span>
}

/** The reason that its data names by a code, and what was wrong, in the language of the page. */
function Why({ data }: { readonly data: unknown }) {
  const { reason_code: reason, message, detail, line, column } = (data ?? {}) as Readonly<Record<string, unknown>>
  const wrong = message ?? detail
  return (
    <>
      {typeof reason === 'string' && reason !== '' && (
        <p>
          {word('end', reason)}{' '}
          <a href={inLanguage(reasonPage(reason))}>
            <code>{reason}</code>
          </a>
        </p>
      )}
      {typeof wrong === 'string' && wrong !== '' && (
        <p>
          {typeof line === 'number' && typeof column === 'number' && `${t('lineOf', { line, column })}: `}
          <ProblemText message={wrong} />
        </p>
      )}
    </>
  )
}
