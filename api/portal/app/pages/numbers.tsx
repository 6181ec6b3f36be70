import { useEffect, useState } from 'preact/hooks'
import { api, must } from '../api.ts'
import type { Number as OwnedNumber } from '../api-types.ts'
import { number } from '../format.ts'
import { useLoad } from '../load.ts'
import { dialFromPhone } from '../phone/overlay.tsx'
import { filter, place } from '../router.ts'
import { t, word } from '../texts/index.ts'
import {
  attempt,
  Badge,
  Button,
  Card,
  Dialog,
  Empty,
  Field,
  Name,
  Page,
  Sure,
  Trouble,
  Waiting,
} from '../ui/basics.tsx'
import { Table } from '../ui/table.tsx'

const purposes = ['voice_inbound', 'voice_outbound', 'status'] as const

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
  const nameOf = (url: string) => data?.documents.find(document => document.url === url)?.name ?? url
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
          {data.own.length === 0 ? (
            <Empty>{t('noNumbers')}</Empty>
          ) : (
            <Table
              caption={t('numbers')}
              rows={data.own}
              keyOf={each => each.uuid}
              columns={[
                { head: t('number'), cell: each => <b class="nowrap">{number(each.number)}</b> },
                { head: t('label'), class: 'words', cell: each => <Name text={each.friendly_name || '–'} /> },
                {
                  head: t('callsGoTo'),
                  class: 'grow',
                  cell: each => (
                    <span class="badges">
                      <Badge tone={each.webhook_inbound.source === 'none' ? 'bad' : 'calm'}>
                        {word('source', each.webhook_inbound.source)}
                      </Badge>{' '}
                      <span class="cut">{nameOf(each.webhook_inbound.url)}</span>
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

function Edit({
  number: edited,
  documents,
  close,
}: {
  readonly number: OwnedNumber
  readonly documents: readonly { readonly name: string; readonly url: string }[]
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
      <datalist id="own-documents">
        {documents.map(document => (
          <option key={document.url} value={document.url}>
            {document.name}
          </option>
        ))}
      </datalist>
      {purposes.map(purpose => (
        <Field key={purpose} label={word('purpose', purpose)} hint={t('emptyInherits')}>
          {field => (
            <input
              {...field}
              type="url"
              list="own-documents"
              value={urls[purpose]}
              onInput={event => setUrls({ ...urls, [purpose]: event.currentTarget.value })}
            />
          )}
        </Field>
      ))}
      <div class="actions end">
        <Button kind="main" onClick={save}>
          {t('save')}
        </Button>
      </div>
    </Dialog>
  )
}

function Acquire({ close }: { readonly close: () => void }) {
  const { data, error, reload } = useLoad('pool', () => must(api.GET('/numbers/available', {})))
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
      {data !== undefined && shown.length === 0 && <Empty>{t('poolEmpty')}</Empty>}
      <ul class="choices">
        {shown.slice(0, 100).map(each => (
          <li key={each.uuid}>
            <b class="nowrap">{number(each.number)}</b>
            <Button
              onClick={() =>
                attempt(
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
