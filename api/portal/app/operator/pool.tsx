import { useState } from 'preact/hooks'
import { api, must } from '../api.ts'
import { money, number } from '../format.ts'
import { useLoad } from '../load.ts'
import { href } from '../router.ts'
import { t } from '../texts/index.ts'
import { Badge, Button, Card, Empty, Field, Name, Page, Sure, Trouble, useOnce, Waiting } from '../ui/basics.tsx'
import { ListSearch, searchedFor } from '../ui/list-search.tsx'
import { offsetOf, Pager, pageSize, Table } from '../ui/table.tsx'

export default function Pool() {
  const search = searchedFor()
  const { data, error, reload } = useLoad(`pool ${offsetOf()} ${search}`, () =>
    must(
      api.GET('/operator/numbers', {
        params: { query: { limit: pageSize, offset: offsetOf(), names: 'true', ...(search === '' ? {} : { search }) } },
      }),
    ),
  )
  const [added, setAdded] = useState('')
  const [fee, setFee] = useState('0')
  const once = useOnce()
  const add = (event: SubmitEvent) => {
    event.preventDefault()
    once(async () => {
      await must(api.POST('/operator/numbers', { body: { number: added.replace(/\s/g, ''), setup_fee: fee } }))
      setAdded('')
      reload()
    }, t('saved'))
  }
  return (
    <Page title={t('pool')}>
      <Card title={t('addNumber')}>
        <form class="row" onSubmit={add}>
          <Field label={t('number')} hint="E.164: +254…">
            {field => (
              <input
                {...field}
                required
                inputMode="tel"
                value={added}
                onInput={event => setAdded(event.currentTarget.value)}
              />
            )}
          </Field>
          <Field label={t('setupFee')} hint="KES">
            {field => (
              <input {...field} inputMode="decimal" value={fee} onInput={event => setFee(event.currentTarget.value)} />
            )}
          </Field>
          <Button kind="main" type="submit">
            {t('addNumber')}
          </Button>
        </form>
      </Card>
      <Trouble error={error} retry={reload} />
      {data === undefined ? (
        error === undefined && <Waiting />
      ) : (
        <Card>
          <ListSearch label={t('searchDigits')} />
          {data.numbers.length === 0 ? (
            <Empty>{t(search === '' ? 'poolEmpty' : 'noNumbersFit')}</Empty>
          ) : (
            <Table
              caption={t('pool')}
              rows={data.numbers}
              keyOf={each => each.uuid}
              columns={[
                { head: t('number'), class: 'grow', cell: each => <b class="nowrap">{number(each.number)}</b> },
                { head: t('setupFee'), class: 'figure', cell: each => money(each.setup_fee) },
                {
                  head: t('owner'),
                  class: 'words',
                  cell: each =>
                    each.account === null ? (
                      <Badge tone="good">{t('free')}</Badge>
                    ) : (
                      <a href={href('operator', 'accounts', each.account)}>
                        <Name text={each.account_name ?? each.account} />
                      </a>
                    ),
                },
                {
                  head: '',
                  cell: each =>
                    each.account === null && (
                      <Sure
                        label={t('delete')}
                        question={t('deleteSure', { name: number(each.number) })}
                        act={async () => {
                          await must(api.DELETE('/operator/numbers/{uuid}', { params: { path: { uuid: each.uuid } } }))
                          reload()
                        }}
                      />
                    ),
                },
              ]}
            />
          )}
          <Pager total={data.total} />
        </Card>
      )}
    </Page>
  )
}
