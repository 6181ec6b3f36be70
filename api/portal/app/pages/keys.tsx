import { useState } from 'preact/hooks'
import { api, must } from '../api.ts'
import { useLoad } from '../load.ts'
import { t } from '../texts/index.ts'
import {
  Badge,
  Button,
  Card,
  Copy,
  Data,
  Dialog,
  Field,
  Name,
  Page,
  Sure,
  Trouble,
  useOnce,
  Waiting,
} from '../ui/basics.tsx'
import { Table } from '../ui/table.tsx'
import { LastUsed, When } from '../ui/when.tsx'
import { SessionTable } from './session-table.tsx'

export default function Keys() {
  const { data, error, reload } = useLoad('keys', async () => {
    const [keys, sessions] = await Promise.all([must(api.GET('/keys/', {})), must(api.GET('/portal/sessions', {}))])
    return { keys, sessions }
  })
  const [isMaking, make] = useState(false)
  const [made, show] = useState<string | undefined>(undefined)
  const [name, setName] = useState('')
  const once = useOnce()
  const create = (event: SubmitEvent) => {
    event.preventDefault()
    once(async () => {
      show((await must(api.POST('/keys/create', { body: { name } }))).key)
      make(false)
      setName('')
      reload()
    })
  }
  return (
    <Page
      title={t('keys')}
      lead={t('keysLead')}
      actions={
        <Button kind="main" glyph="plus" onClick={() => make(true)}>
          {t('newKey')}
        </Button>
      }
    >
      <Trouble error={error} retry={reload} />
      {data === undefined ? (
        error === undefined && <Waiting />
      ) : (
        <>
          <Card>
            <Table
              caption={t('keys')}
              rows={data.keys}
              keyOf={key => key.uuid}
              columns={[
                {
                  head: t('name'),
                  class: 'grow',
                  cell: key => (
                    <b>
                      <Name text={key.name} />
                    </b>
                  ),
                },
                { head: t('key'), cell: key => <code>{key.prefix}…</code> },
                {
                  head: t('state'),
                  cell: key => (
                    <Badge tone={key.is_active ? 'good' : 'bad'}>{t(key.is_active ? 'active' : 'revoked')}</Badge>
                  ),
                },
                { head: t('made'), class: 'brief', cell: key => <When iso={key.created_at} /> },
                { head: t('lastUsed'), class: 'brief', cell: key => <LastUsed iso={key.last_used_at} /> },
                {
                  head: '',
                  cell: key =>
                    key.is_active && (
                      <Sure
                        label={t('revoke')}
                        question={t('revokeSure', { name: key.name })}
                        act={async () => {
                          await must(api.POST('/keys/revoke', { body: { uuid: key.uuid } }))
                          reload()
                        }}
                      />
                    ),
                },
              ]}
            />
          </Card>
          <Card title={t('sessions')}>
            <SessionTable
              rows={data.sessions}
              end={async uuid => {
                await must(api.DELETE('/portal/sessions/{uuid}', { params: { path: { uuid } } }))
                reload()
              }}
            />
          </Card>
        </>
      )}
      {isMaking && (
        <Dialog title={t('newKey')} close={() => make(false)}>
          <form onSubmit={create}>
            <Field label={t('name')}>
              {field => (
                <input
                  {...field}
                  required
                  maxLength={100}
                  value={name}
                  onInput={event => setName(event.currentTarget.value)}
                />
              )}
            </Field>
            <div class="actions end">
              <Button kind="main" type="submit">
                {t('newKey')}
              </Button>
            </div>
          </form>
        </Dialog>
      )}
      {made !== undefined && (
        <Dialog title={t('newKey')} close={() => show(undefined)}>
          <p>{t('shownOnce')}</p>
          <p class="with-copy">
            <code class="cut">{made}</code>
            <Copy text={made} label={t('key')} />
          </p>
          <h3>{t('tryKey')}</h3>
          <Data value={`curl -H 'Authorization: Bearer ${made}' ${location.origin}/account/`} label={t('tryKey')} />
          <div class="actions end">
            <a class="button" href="/docs">
              {t('apiReference')}
            </a>
            <Button kind="main" onClick={() => show(undefined)}>
              {t('keyCopied')}
            </Button>
          </div>
        </Dialog>
      )}
    </Page>
  )
}
