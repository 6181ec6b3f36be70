import { api, must } from '../api.ts'
import type { LedgerEntry } from '../api-types.ts'
import { csvOf } from '../csv.ts'
import { length, money, number } from '../format.ts'
import { useLoad } from '../load.ts'
import { href } from '../router.ts'
import { save } from '../save-file.ts'
import { t, word } from '../texts/index.ts'
import { attempt, Badge, Button, Card, Empty, Page, Trouble, Waiting } from '../ui/basics.tsx'
import { offsetOf, Pager, pageSize, Table } from '../ui/table.tsx'
import { When } from '../ui/when.tsx'

const exportPage = 200

export default function Wallet() {
  const { data, error, reload } = useLoad(`wallet ${offsetOf()}`, async () => {
    const [account, ledger] = await Promise.all([
      must(api.GET('/account/', {})),
      must(api.GET('/account/ledger', { params: { query: { limit: pageSize, offset: offsetOf() } } })),
    ])
    return { account, ledger }
  })
  return (
    <Page
      title={t('wallet')}
      lead={t('walletLead')}
      actions={<Button onClick={() => attempt(exportCsv)}>{t('exportCsv')}</Button>}
    >
      <Trouble error={error} retry={reload} />
      {data === undefined ? (
        error === undefined && <Waiting />
      ) : (
        <>
          <div class="tiles">
            <div class="tile">
              <span>{t('balance')}</span>
              <b>{money(data.account.wallet_balance)}</b>
            </div>
            <div class="tile">
              <span>{t('state')}</span>
              <b>
                <Badge tone={data.account.status === 'active' ? 'good' : 'bad'}>
                  {word('account', data.account.status)}
                </Badge>
              </b>
            </div>
          </div>
          <Card title={t('statement')}>
            {data.ledger.entries.length === 0 ? (
              <Empty>{t('noEntries')}</Empty>
            ) : (
              <Statement rows={data.ledger.entries} />
            )}
            <Pager total={data.ledger.total} />
          </Card>
        </>
      )}
    </Page>
  )
}

export const Statement = ({ rows }: { readonly rows: readonly LedgerEntry[] }) => (
  <Table
    caption={t('statement')}
    rows={rows}
    keyOf={row => row.id}
    columns={[
      { head: t('when'), class: 'brief', cell: row => <When iso={row.created_at} /> },
      { head: t('kind'), cell: row => <Badge tone="calm">{word('ledger', kindOf(row))}</Badge> },
      {
        head: t('details'),
        class: 'grow',
        cell: row =>
          row.call_uuid === null ? (
            <bdi>{row.reference ?? detailsOf(row)}</bdi>
          ) : (
            <a href={href('calls', row.call_uuid)}>{detailsOf(row) || t('call')}</a>
          ),
      },
      {
        head: t('amount'),
        class: 'figure',
        cell: row => (
          <span class={row.amount.startsWith('-') ? '' : 'good'}>
            {row.amount.startsWith('-') ? '' : '+'}
            {money(row.amount)}
          </span>
        ),
      },
    ]}
  />
)

/** The operator's credit of less than nothing takes money away. */
const kindOf = ({ kind, amount }: LedgerEntry): string => (kind === 'credit' && amount.startsWith('-') ? 'debit' : kind)

/** What a row is about, in words where its details are known. */
function detailsOf({ details }: LedgerEntry): string {
  const { talkSeconds, billedSeconds, number: bought } = details
  if (typeof talkSeconds === 'number' && typeof billedSeconds === 'number')
    return t('statementTalk', { talk: length(talkSeconds), billed: length(billedSeconds) })
  if (typeof bought === 'string') return number(bought)
  return Object.entries(details)
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ')
}

/** Every row. */
async function exportCsv(): Promise<void> {
  const rows: LedgerEntry[] = []
  for (let offset = 0; ; offset += exportPage) {
    const page = await must(api.GET('/account/ledger', { params: { query: { limit: exportPage, offset } } }))
    rows.push(...page.entries)
    if (page.entries.length < exportPage) break
  }
  const lines = rows.map(row => [
    row.created_at,
    row.kind,
    row.amount,
    row.reference ?? '',
    row.call_uuid ?? '',
    JSON.stringify(row.details),
  ])
  const head = ['created_at', 'kind', 'amount', 'reference', 'call_uuid', 'details']
  save('statement.csv', 'text/csv', csvOf(head, lines))
}
