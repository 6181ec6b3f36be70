import { useState } from 'preact/hooks'
import { api, must } from '../api.ts'
import { count, dateTime, money } from '../format.ts'
import { useLoad } from '../load.ts'
import { go, href } from '../router.ts'
import { t, word } from '../texts/index.ts'
import { Badge, Button, Card, Copy, Dialog, Field, Name, Page, Trouble, useOnce, Waiting } from '../ui/basics.tsx'
import { ListSearch, NoneFound, searchedFor } from '../ui/list-search.tsx'
import { offsetOf, Pager, pageSize, Table } from '../ui/table.tsx'

export default function Accounts() {
  const search = searchedFor()
  const { data, error, reload } = useLoad(`accounts ${offsetOf()} ${search}`, () =>
    must(
      api.GET('/operator/accounts', {
        params: { query: { limit: pageSize, offset: offsetOf(), ...(search === '' ? {} : { search }) } },
      }),
    ),
  )
  const [isMaking, make] = useState(false)
  const [name, setName] = useState('')
  const [balance, setBalance] = useState('0')
  const once = useOnce()
  const [made, show] = useState<{ readonly uuid: string; readonly key: string } | undefined>(undefined)
  const create = (event: SubmitEvent) => {
    event.preventDefault()
    once(async () => {
      const { account, key } = await must(api.POST('/operator/accounts', { body: { name, wallet_balance: balance } }))
      make(false)
      show({ uuid: account.uuid, key })
    })
  }
  return (
    <Page
      title={t('accounts')}
      actions={
        <Button kind="main" glyph="plus" onClick={() => make(true)}>
          {t('newAccount')}
        </Button>
      }
    >
      <ListSearch label={t('searchAccounts')} />
      <Trouble error={error} retry={reload} />
      {data === undefined ? (
        error === undefined && <Waiting />
      ) : data.accounts.length === 0 && search !== '' ? (
        <Card>
          <NoneFound>{t('noAccountsFit')}</NoneFound>
        </Card>
      ) : (
        <Card>
          <Table
            caption={t('accounts')}
            rows={data.accounts}
            keyOf={account => account.uuid}
            columns={[
              {
                head: t('name'),
                class: 'grow',
                cell: account => (
                  <a class="row-way" href={href('operator', 'accounts', account.uuid)}>
                    <Name text={account.name} />
                  </a>
                ),
              },
              {
                head: t('state'),
                cell: account => (
                  <Badge tone={account.status === 'active' ? 'good' : 'bad'}>{word('account', account.status)}</Badge>
                ),
              },
              { head: t('balance'), class: 'figure', cell: account => money(account.wallet_balance) },
              { head: t('held'), class: 'figure', cell: account => money(account.held_amount) },
              { head: t('liveCalls'), class: 'figure', cell: account => count(account.live_calls) },
              { head: t('made'), class: 'brief', cell: account => dateTime(account.created_at) },
            ]}
          />
          <Pager total={data.total} />
        </Card>
      )}
      {isMaking && (
        <Dialog title={t('newAccount')} close={() => make(false)}>
          <form onSubmit={create}>
            <Field label={t('name')}>
              {field => (
                <input
                  {...field}
                  required
                  maxLength={200}
                  value={name}
                  onInput={event => setName(event.currentTarget.value)}
                />
              )}
            </Field>
            <Field label={t('balance')} hint="KES">
              {field => (
                <input
                  {...field}
                  inputMode="decimal"
                  value={balance}
                  onInput={event => setBalance(event.currentTarget.value)}
                />
              )}
            </Field>
            <div class="actions end">
              <Button kind="main" type="submit">
                {t('newAccount')}
              </Button>
            </div>
          </form>
        </Dialog>
      )}
      {made !== undefined && (
        <Dialog title={t('newAccount')} close={() => go('operator', 'accounts', made.uuid)}>
          <p>{t('shownOnce')}</p>
          <p class="with-copy">
            <code class="cut">{made.key}</code>
            <Copy text={made.key} label={t('key')} />
          </p>
        </Dialog>
      )}
    </Page>
  )
}
