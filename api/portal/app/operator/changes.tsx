import { api, must } from '../api.ts'
import type { OperatorChange } from '../api-types.ts'
import { dateTime } from '../format.ts'
import { useLoad } from '../load.ts'
import { t, word } from '../texts/index.ts'
import { Badge, Card, Data, Empty, Page, Trouble, Waiting } from '../ui/basics.tsx'
import { offsetOf, Pager, pageSize, Table } from '../ui/table.tsx'
import { type ChangedField, changedFields, listChange } from './change-diff.ts'

/** Fields that a row names; the others are counted. */
const mostNamed = 4
/** Letters of a name in a row. */
const mostOfName = 60
const none = '–'

export default function Changes() {
  const { data, error, reload } = useLoad(`changes ${offsetOf()}`, () =>
    must(api.GET('/operator/changes', { params: { query: { limit: pageSize, offset: offsetOf() } } })),
  )
  return (
    <Page title={t('changes')} lead={t('changesLead')}>
      <Trouble error={error} retry={reload} />
      {data === undefined ? (
        error === undefined && <Waiting />
      ) : (
        <Card>
          {data.changes.length === 0 ? (
            <Empty>{t('noChanges')}</Empty>
          ) : (
            <ol class="timeline whole changes">
              {data.changes.map(change => (
                <Change key={change.id} change={change} />
              ))}
            </ol>
          )}
          <Pager total={data.total} />
        </Card>
      )}
    </Page>
  )
}

/** What was there and is not: nothing of it can be compared. */
const fieldsOf = ({ action, before, after }: OperatorChange): readonly ChangedField[] =>
  action === 'DELETE' && before !== null ? changedFields(before, null) : changedFields(before, after)

/** What was made, changed or deleted, by its name. */
function subjectOf({ before, after }: OperatorChange): string {
  const nameOf = (value: unknown): string => {
    const { name, number, account } = (value ?? {}) as Readonly<Record<string, unknown>>
    if (typeof name === 'string') return name
    return typeof number === 'string' ? number : typeof account === 'object' && account !== null ? nameOf(account) : ''
  }
  return nameOf(after) || nameOf(before)
}

function Change({ change }: { readonly change: OperatorChange }) {
  const isNew = change.before === null
  // Of what is new, the fields that are empty say nothing.
  const fields = fieldsOf(change).filter(({ after }) => !isNew || textOf(after) !== none)
  const subject = subjectOf(change)
  const named = fields.slice(0, mostNamed).map(({ path }) => path || t('all'))
  const more = fields.length - named.length
  return (
    <li>
      <details>
        <summary>
          <span class="at wide">{dateTime(change.created_at)}</span>
          <Badge tone={change.action === 'DELETE' ? 'bad' : change.action === 'POST' ? 'good' : 'calm'}>
            {word('action', change.action)}
          </Badge>
          <span class="text">
            {subject !== '' && (
              <>
                <bdi title={subject}>
                  {subject.length > mostOfName ? `${subject.slice(0, mostOfName)}…` : subject}
                </bdi>{' '}
              </>
            )}
            <span class="soft">{change.path}</span>{' '}
            {!isNew && change.action !== 'DELETE' && (
              <b>{fields.length === 0 ? t('nothingChanged') : `${named.join(', ')}${more > 0 ? ` +${more}` : ''}`}</b>
            )}{' '}
            <span class="soft">
              {change.actor === 'key' ? t('operatorKey') : `${t('session')} ${change.actor.slice(0, 8)}`} ·{' '}
              {change.address}
            </span>
          </span>
        </summary>
        {fields.length > 0 && (
          <Table
            caption={t('changedFields')}
            rows={fields}
            keyOf={({ path }) => path}
            columns={[
              { head: t('field'), class: 'words', cell: ({ path }) => <code>{path || t('all')}</code> },
              ...(isNew
                ? []
                : [{ head: t('before'), class: 'grow', cell: (field: ChangedField) => <Was of={field} /> }]),
              { head: t('after'), class: 'grow', cell: field => <Is of={field} /> },
            ]}
          />
        )}
        <details class="raw">
          <summary>{t('asSent')}</summary>
          <div class="columns two even">
            <div>
              <h2>{t('before')}</h2>
              <Data value={change.before} />
            </div>
            <div>
              <h2>{t('after')}</h2>
              <Data value={change.after} />
            </div>
          </div>
        </details>
      </details>
    </li>
  )
}

const textOf = (value: unknown): string =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
    ? none
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)

/** Of a list, what it has lost; else the whole value. */
function Was({ of: { before, after } }: { readonly of: ChangedField }) {
  const list = listChange(before, after)
  return <del>{list === undefined ? textOf(before) : list.removed.join(', ') || none}</del>
}

function Is({ of: { before, after } }: { readonly of: ChangedField }) {
  const list = listChange(before, after)
  return <ins>{list === undefined ? textOf(after) : list.added.join(', ') || none}</ins>
}
