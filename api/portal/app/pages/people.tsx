import { useState } from 'preact/hooks'
import { api, must } from '../api.ts'
import type { EndUser } from '../api-types.ts'
import { dateTime } from '../format.ts'
import { useLoad } from '../load.ts'
import { openPhone } from '../phone/overlay.tsx'
import { t } from '../texts/index.ts'
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
import { ListSearch, NoneFound, searchedFor } from '../ui/list-search.tsx'
import { offsetOf, Pager, pageSize, Table } from '../ui/table.tsx'

export default function People() {
  const { data, error, reload } = useLoad(
    'people',
    async () => {
      const [users, phones, tokens] = await Promise.all([
        must(api.GET('/users/', {})),
        must(api.GET('/users/registrations', {})),
        must(api.GET('/phone-tokens/', {})),
      ])
      return { users, phones, tokens }
    },
    5000,
  )
  const search = searchedFor()
  const found = (data?.users ?? []).filter(user => isFound(user, search))
  const [isMaking, make] = useState(false)
  const [link, show] = useState<{ readonly user: EndUser; readonly url: string } | undefined>(undefined)
  const linkFor = (user: EndUser) =>
    attempt(async () => {
      const { token, iceServers } = await must(
        api.POST('/phone-tokens/mint', { body: { uuid: user.uuid, ttl_seconds: 3600, max_concurrent: 3 } }),
      )
      show({ user, url: `${location.origin}/phone#${new URLSearchParams({ token, ice: JSON.stringify(iceServers) })}` })
      reload()
    })
  const change = (user: EndUser, is_active: boolean) =>
    attempt(async () => {
      await must(api.POST('/users/update', { body: { uuid: user.uuid, is_active } }))
      reload()
    }, t('saved'))
  return (
    <Page
      title={t('people')}
      lead={t('peopleLead')}
      actions={
        <Button kind="main" glyph="plus" onClick={() => make(true)}>
          {t('newPerson')}
        </Button>
      }
    >
      <Trouble error={error} retry={reload} />
      {data === undefined ? (
        error === undefined && <Waiting />
      ) : (
        <>
          <Card>
            {(data.users.length > fewPeople || search !== '') && (
              <ListSearch label={t('searchPeople')} typingMs={150} />
            )}
            {data.users.length === 0 ? (
              <Empty
                action={
                  <Button glyph="plus" onClick={() => make(true)}>
                    {t('newPerson')}
                  </Button>
                }
              >
                {t('noPeople')}
              </Empty>
            ) : found.length === 0 ? (
              <NoneFound>{t('noPeopleFit')}</NoneFound>
            ) : (
              <Table
                caption={t('people')}
                rows={found.slice(offsetOf(), offsetOf() + pageSize)}
                keyOf={user => user.uuid}
                columns={[
                  {
                    head: t('name'),
                    class: 'grow',
                    cell: user => (
                      <span>
                        <b>
                          <Name text={user.display_name || user.email} />
                        </b>
                        <small class="soft">{user.email}</small>
                      </span>
                    ),
                  },
                  { head: t('extension'), cell: user => <code>{user.extension_number}</code> },
                  {
                    head: t('registered'),
                    cell: user => {
                      const from = data.phones.filter(phone => phone.end_user === user.uuid)
                      if (!user.is_active) return <Badge tone="bad">{t('inactive')}</Badge>
                      return (
                        <span class="badges">
                          {from.length === 0 && <Badge tone="calm">{t('no')}</Badge>}
                          {from.map(phone => (
                            <Badge key={phone.address} tone="good">{`${phone.transport} ${phone.address}`}</Badge>
                          ))}
                        </span>
                      )
                    },
                  },
                  {
                    head: '',
                    cell: user => (
                      <span class="actions">
                        <Button glyph="calls" disabled={!user.is_active} onClick={() => attempt(() => openPhone(user))}>
                          {t('openHere')}
                        </Button>
                        <Button disabled={!user.is_active} onClick={() => linkFor(user)}>
                          {t('phoneLink')}
                        </Button>
                        <Button onClick={() => change(user, !user.is_active)}>
                          {t(user.is_active ? 'deactivate' : 'activate')}
                        </Button>
                        <Sure
                          label={t('delete')}
                          question={t('deleteSure', { name: user.display_name || user.email })}
                          act={async () => {
                            await must(api.POST('/users/delete', { body: { uuid: user.uuid } }))
                            reload()
                          }}
                        />
                      </span>
                    ),
                  },
                ]}
              />
            )}
            <Pager total={found.length} />
          </Card>
          <Card title={t('tokens')}>
            {data.tokens.length === 0 ? (
              <Empty>{t('noTokens')}</Empty>
            ) : (
              <Table
                caption={t('tokens')}
                rows={data.tokens}
                keyOf={token => token.uuid}
                columns={[
                  { head: t('extension'), cell: token => <code>{token.extension_number}</code> },
                  {
                    head: t('state'),
                    cell: token => (
                      <Badge tone={token.is_valid ? 'good' : 'bad'}>{t(token.is_valid ? 'valid' : 'revoked')}</Badge>
                    ),
                  },
                  { head: t('expires'), class: 'grow', cell: token => dateTime(token.expires_at) },
                  {
                    head: '',
                    cell: token =>
                      token.is_valid && (
                        <Button
                          onClick={() =>
                            attempt(async () => {
                              await must(api.POST('/phone-tokens/revoke', { body: { uuid: token.uuid } }))
                              reload()
                            })
                          }
                        >
                          {t('revoke')}
                        </Button>
                      ),
                  },
                ]}
              />
            )}
          </Card>
        </>
      )}
      {isMaking && (
        <NewPerson
          close={() => {
            make(false)
            reload()
          }}
        />
      )}
      {link !== undefined && (
        <Dialog title={t('phoneLink')} close={() => show(undefined)}>
          <p>{t('phoneLinkLead', { name: link.user.display_name || link.user.email })}</p>
          <p class="with-copy">
            <code class="cut">{link.url}</code>
            <Copy text={link.url} label={t('phoneLink')} />
          </p>
        </Dialog>
      )}
    </Page>
  )
}

/** Beyond that a person searches. */
const fewPeople = 10

const isFound = ({ display_name: name, email, extension_number: extension }: EndUser, search: string): boolean =>
  [name, email, extension].some(text => text.toLowerCase().includes(search.toLowerCase()))

function NewPerson({ close }: { readonly close: () => void }) {
  const once = useOnce()
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const save = async (event: SubmitEvent) => {
    event.preventDefault()
    if (await once(() => must(api.POST('/users/create', { body: { email, display_name: name } })), t('saved'))) close()
  }
  return (
    <Dialog title={t('newPerson')} close={close}>
      <form onSubmit={save}>
        <Field label={t('name')}>
          {field => (
            <input {...field} value={name} maxLength={200} onInput={event => setName(event.currentTarget.value)} />
          )}
        </Field>
        <Field label={t('email')}>
          {field => (
            <input
              {...field}
              type="email"
              required
              value={email}
              onInput={event => setEmail(event.currentTarget.value)}
            />
          )}
        </Field>
        <div class="actions end">
          <Button kind="main" type="submit">
            {t('save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
