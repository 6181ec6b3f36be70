import { useState } from 'preact/hooks'
import { api, must } from '../api.ts'
import { dateTime } from '../format.ts'
import { events, isLive } from '../live.ts'
import { useLoad } from '../load.ts'
import { filter, href, place } from '../router.ts'
import { eventText } from '../switch-texts/index.ts'
import { t, word } from '../texts/index.ts'
import { Badge, Button, Card, Data, Empty, Page, Select, Trouble, Waiting } from '../ui/basics.tsx'
import { ProblemText } from '../ui/said.tsx'
import { beforeOf, SeqPager } from '../ui/table.tsx'

const groups = ['CALL.', 'DIAL.', 'REC.', 'BILL.', 'DTMF.', 'WH.', 'DOC.', 'PLAY.', 'SAY.', 'ACCT.'] as const

const pageOfEvents = 100
/** With those that came while the page was open. */
const mostRows = 300

export default function Events() {
  const { query } = place.value
  const code = query.get('code') ?? ''
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
            ...(code === '' ? {} : { code }),
            ...(sid === '' ? {} : { sid }),
            ...(before === undefined ? {} : { before }),
          },
        },
      }),
    ),
  )
  // New ones stand above the newest page alone.
  const live = (before !== undefined ? [] : isPaused ? frozen : events.value).filter(
    event => event.code.startsWith(code) && (sid === '' || event.sid === sid),
  )
  const known = new Set(live.map(event => event.seq))
  const rows = [
    ...live.map(event => ({ ...event, created_at: event.createdAt })),
    ...(past.data ?? []).filter(event => !known.has(event.seq)),
  ].slice(0, mostRows)
  const isFiltered = code !== '' || sid !== '' || before !== undefined
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
            options={[['', t('all')], ...groups.map(group => [group, word('events', group)] as const)]}
            change={chosen => filter({ code: chosen, before: '' })}
          />
          <label class="search">
            <span class="hidden">{t('callSid')}</span>
            <input
              type="search"
              placeholder="CA…"
              value={sid}
              onChange={event => filter({ sid: event.currentTarget.value.trim(), before: '' })}
            />
          </label>
        </form>
      </search>
      <Trouble error={past.error} retry={past.reload} />
      <Card>
        {past.data === undefined && past.error === undefined ? (
          <Waiting />
        ) : rows.length === 0 ? (
          <Empty>{t(isFiltered ? 'noEventsFit' : 'noEvents')}</Empty>
        ) : (
          <ol class="timeline">
            {rows.map(event => (
              <li key={event.seq}>
                <details>
                  <summary>
                    <span class="at wide">{dateTime(event.created_at)}</span>
                    <Badge tone={/\.04/.test(event.code) ? 'bad' : 'calm'}>{event.code}</Badge>
                    <span class="text">
                      <What code={event.code} name={event.event} /> <span class="soft">{event.sid}</span>
                    </span>
                  </summary>
                  {event.sid !== '' && <a href={`${href('calls')}?search=${event.sid}`}>{t('call')}</a>}
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

/** The reason that its data names by a code, and what was wrong, in the language of the page. */
function Why({ data }: { readonly data: unknown }) {
  const { reason_code: reason, message, detail, line, column } = (data ?? {}) as Readonly<Record<string, unknown>>
  const wrong = message ?? detail
  return (
    <>
      {typeof reason === 'string' && reason !== '' && (
        <p>
          {word('end', reason)} <code>{reason}</code>
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
