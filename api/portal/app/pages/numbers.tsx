import { useEffect, useState } from 'preact/hooks'
import { api, must } from '../api.ts'
import type { Number as OwnedNumber } from '../api-types.ts'
import { money, number } from '../format.ts'
import { useLoad } from '../load.ts'
import { dialFromPhone } from '../phone/overlay.tsx'
import { filter, href, place } from '../router.ts'
import { t, word } from '../texts/index.ts'
import {
  attempt,
  Badge,
  Button,
  Card,
  Copy,
  Dialog,
  Empty,
  Field,
  Name,
  Page,
  Sure,
  Trouble,
  useOnce,
  Waiting,
} from '../ui/basics.tsx'
import { Table } from '../ui/table.tsx'
import { CallTargets, type NamedDocument } from './call-targets.tsx'

export default function Numbers() {
  const { data, error, reload } = useLoad('numbers', async () => {
    const [own, documents] = await Promise.all([
      must(api.GET('/numbers/', {})),
      must(api.GET('/documents/', { params: { query: { limit: 200 } } })),
    ])
    return { own, documents: documents.documents }
  })
  const [edited, edit] = useState<OwnedNumber | undefined>(undefined)
  const [isBuying, buy] = useState(false)
  // A page that knows of a call leads to the route of its number.
  const wanted = place.value.query.get('number')
  useEffect(() => {
    if (wanted !== null) edit(data?.own.find(each => each.number === wanted))
  }, [data === undefined, wanted])
  const search = place.value.query.get('search') ?? ''
  const setSearch = (text: string) => filter({ search: text }, { replace: true })
  const shown = (data?.own ?? []).filter(each => isFound(each, search))
  return (
    <Page
      title={t('numbers')}
      lead={t('numbersLead')}
      actions={
        <Button kind="main" glyph="plus" onClick={() => buy(true)}>
          {t('acquire')}
        </Button>
      }
    >
      <Trouble error={error} retry={reload} />
      {data === undefined ? (
        error === undefined && <Waiting />
      ) : (
        <Card>
          {data.own.length > fewNumbers && (
            <search class="filters">
              <label class="search">
                <span class="hidden">{t('searchNumbers')}</span>
                <input
                  type="search"
                  placeholder={t('searchNumbers')}
                  value={search}
                  onInput={event => setSearch(event.currentTarget.value)}
                />
              </label>
            </search>
          )}
          {data.own.length === 0 ? (
            <Empty
              action={
                <Button glyph="plus" onClick={() => buy(true)}>
                  {t('acquire')}
                </Button>
              }
            >
              {t('noNumbers')}
            </Empty>
          ) : shown.length === 0 ? (
            <Empty action={<Button onClick={() => setSearch('')}>{t('clear')}</Button>}>{t('noNumbersFit')}</Empty>
          ) : (
            <Table
              caption={t('numbers')}
              rows={shown}
              keyOf={each => each.uuid}
              columns={[
                {
                  head: t('number'),
                  cell: each => (
                    <span class="lines">
                      <span class="with-copy">
                        <b class="nowrap">{number(each.number)}</b>
                        <Copy text={each.number} label={each.number} />
                      </span>
                      <small>
                        <a href={`${href('calls')}?search=${encodeURIComponent(each.number)}`}>
                          {t('calls')}
                          <span class="hidden"> {number(each.number)}</span>
                        </a>
                      </small>
                    </span>
                  ),
                },
                { head: t('label'), class: 'words', cell: each => <Name text={each.friendly_name || '–'} /> },
                {
                  head: t('callsGoTo'),
                  class: 'grow',
                  cell: each => (
                    <span class="badges">
                      <Badge tone={each.webhook_inbound.source === 'none' ? 'bad' : 'calm'}>
                        {word('source', each.webhook_inbound.source)}
                      </Badge>{' '}
                      <Target url={each.webhook_inbound.url} documents={data.documents} />
                    </span>
                  ),
                },
                {
                  head: '',
                  cell: each => (
                    <span class="actions">
                      <Button glyph="calls" onClick={() => attempt(() => dialFromPhone(each.number))}>
                        {t('testCall')}
                      </Button>
                      <Button onClick={() => edit(each)}>{t('change')}</Button>
                      <Sure
                        label={t('release')}
                        question={t('releaseSure', { number: number(each.number) })}
                        act={async () => {
                          await must(api.POST('/numbers/release', { body: { uuid: each.uuid } }))
                          reload()
                        }}
                      />
                    </span>
                  ),
                },
              ]}
            />
          )}
        </Card>
      )}
      {edited !== undefined && data !== undefined && (
        <Edit
          number={edited}
          documents={data.documents}
          close={() => {
            edit(undefined)
            filter({ number: '' }, { replace: true })
            reload()
          }}
        />
      )}
      {isBuying && (
        <Acquire
          close={() => {
            buy(false)
            reload()
          }}
        />
      )}
    </Page>
  )
}

/** Beyond that a person searches. */
const fewNumbers = 10

/** By digits of the number, or by any part of its label. */
function isFound({ number: text, friendly_name: label }: OwnedNumber, search: string): boolean {
  const digits = search.replace(/\D/g, '')
  return (
    search.trim() === '' ||
    (digits !== '' && !/[^\d\s+()-]/.test(search) && text.includes(digits)) ||
    label.toLowerCase().includes(search.trim().toLowerCase())
  )
}

/** A document of the account by its name, with the way to it; else the URL. */
function Target({ url, documents }: { readonly url: string; readonly documents: readonly NamedDocument[] }) {
  const own = documents.find(document => document.url === url)
  if (own === undefined) return <span class="cut">{url}</span>
  return (
    <a href={href('documents', own.uuid)}>
      <Name text={own.name} />
    </a>
  )
}

function Edit({
  number: edited,
  documents,
  close,
}: {
  readonly number: OwnedNumber
  readonly documents: readonly NamedDocument[]
  readonly close: () => void
}) {
  const [label, setLabel] = useState(edited.friendly_name)
  const [urls, setUrls] = useState({ ...edited.webhook_urls })
  const save = async () => {
    const isDone = await attempt(
      () =>
        must(api.POST('/numbers/configure', { body: { uuid: edited.uuid, friendly_name: label, webhook_urls: urls } })),
      t('saved'),
    )
    if (isDone) close()
  }
  return (
    <Dialog title={number(edited.number)} close={close}>
      <Field label={t('label')}>
        {field => (
          <input {...field} value={label} maxLength={200} onInput={event => setLabel(event.currentTarget.value)} />
        )}
      </Field>
      <CallTargets
        none={t('accountDefault')}
        statusHint={t('emptyInherits')}
        urls={urls}
        documents={documents}
        change={setUrls}
      />
      <div class="actions end">
        <Button kind="main" onClick={save}>
          {t('save')}
        </Button>
      </div>
    </Dialog>
  )
}

function Acquire({ close }: { readonly close: () => void }) {
  const once = useOnce()
  const { data, error, reload } = useLoad('pool', () =>
    must(api.GET('/numbers/available', { params: { query: { fees: 'true' } } })),
  )
  const [search, setSearch] = useState('')
  const shown = (data ?? []).filter(each => each.number.includes(search.replace(/[^\d+]/g, '')))
  return (
    <Dialog title={t('acquire')} close={close}>
      <Trouble error={error} retry={reload} />
      <Field label={t('search')}>
        {field => (
          <input
            {...field}
            type="search"
            inputMode="tel"
            value={search}
            onInput={event => setSearch(event.currentTarget.value)}
          />
        )}
      </Field>
      {data !== undefined && shown.length === 0 && <Empty>{t(data.length === 0 ? 'poolEmpty' : 'noNumbersFit')}</Empty>}
      <ul class="choices">
        {shown.slice(0, 100).map(each => (
          <li key={each.uuid}>
            <b class="nowrap">{number(each.number)}</b>
            <span class="fee">
              {Number(each.setup_fee) > 0 ? t('setupFeeOnce', { fee: money(each.setup_fee) }) : t('noSetupFee')}
            </span>
            <Button
              onClick={() =>
                once(
                  async () => {
                    await must(api.POST('/numbers/acquire', { params: {}, body: { uuid: each.uuid } }))
                    reload()
                  },
                  t('acquired', { number: number(each.number) }),
                )
              }
            >
              {t('acquire')}
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
