import { type FieldFlag, type Group, integer, pageFlags, segment, text, withQuery } from '../action/action.ts'

const limits: readonly FieldFlag[] = [
  text('grace', 'grace_amount', 'KES spendable beyond the balance (0)'),
  text('credit-limit', 'credit_limit', 'KES spendable beyond balance and grace (0)'),
  integer('max-calls', 'max_concurrent_calls', 'live calls (50)'),
  integer('max-cps', 'max_calls_per_second', 'new calls a second (10)'),
  integer('max-inbound', 'max_inbound_calls', 'live calls to its numbers (100)'),
  integer('max-legs', 'max_dialled_legs', 'live legs that its Dials have opened (200)'),
  integer('max-asset-bytes', 'max_asset_bytes', 'stored bytes of assets (setting quotas.asset_mb)'),
  integer('max-recording-bytes', 'max_recording_bytes', 'stored bytes of recordings (quotas.recording_mb)'),
  integer('max-documents', 'max_documents', 'hosted documents (quotas.documents)'),
  integer('max-users', 'max_end_users', 'end-users (quotas.end_users)'),
  integer('max-tokens', 'max_live_tokens', 'phone tokens valid at once (quotas.live_tokens)'),
  integer('max-streams', 'max_stream_connections', 'event streams open at once (quotas.stream_connections)'),
]
const name: FieldFlag = text('name', 'name', 'what it is called')
const path = (uuid: string, rest = '') => `/operator/accounts/${segment(uuid)}${rest}`

export const account: Group = {
  name: 'account',
  summary: 'accounts, their money and their keys',
  examples: [
    'sauti account create --name Shamba --balance 1000',
    'sauti account credit 6f1c… 500 --reference invoice-7',
  ],
  actions: [
    {
      name: 'list',
      words: [],
      summary: 'all accounts, newest first',
      access: 'operator',
      flags: pageFlags,
      request: ({ fields }) => ({ method: 'GET', path: withQuery('/operator/accounts', fields) }),
      table: {
        rows: 'accounts',
        columns: [
          ['uuid', 'uuid'],
          ['name', 'name'],
          ['status', 'status'],
          ['balance', 'wallet_balance'],
          ['held', 'held_amount'],
          ['live', 'live_calls'],
        ],
      },
    },
    {
      name: 'create',
      words: [],
      summary: 'create an account and show its first API key, once',
      access: 'operator',
      flags: [name, text('balance', 'wallet_balance', 'first balance in KES (0)'), ...limits],
      request: ({ fields }) => ({ method: 'POST', path: '/operator/accounts', body: fields }),
    },
    {
      name: 'show',
      words: ['uuid'],
      summary: 'one account',
      access: 'operator',
      flags: [],
      request: ({ word }) => ({ method: 'GET', path: path(word('uuid')) }),
    },
    {
      name: 'set',
      words: ['uuid'],
      summary: 'change an account',
      access: 'operator',
      flags: [name, text('status', 'status', 'active or suspended'), ...limits],
      request: ({ word, fields }) => ({ method: 'PATCH', path: path(word('uuid')), body: fields }),
    },
    {
      name: 'credit',
      words: ['uuid', 'amount'],
      summary: 'add KES to the wallet; a debit is "-- UUID -12.50"',
      access: 'operator',
      flags: [text('reference', 'reference', 'an idempotency reference: repeating it changes nothing')],
      request: ({ word, fields }) => ({
        method: 'POST',
        path: path(word('uuid'), '/credit'),
        body: { amount: word('amount'), ...fields },
      }),
    },
    {
      name: 'key',
      words: ['uuid'],
      summary: 'create another API key and show it, once',
      access: 'operator',
      flags: [name],
      request: ({ word, fields }) => ({ method: 'POST', path: path(word('uuid'), '/keys'), body: fields }),
    },
    {
      name: 'link',
      words: ['uuid'],
      summary: 'a one-time link that signs in to the portal, good for an hour',
      access: 'operator',
      flags: [],
      request: ({ word }) => ({ method: 'POST', path: path(word('uuid'), '/link'), body: {} }),
    },
    {
      name: 'ledger',
      words: ['uuid'],
      summary: 'entries of the ledger, newest first',
      access: 'operator',
      flags: pageFlags,
      request: ({ word, fields }) => ({ method: 'GET', path: withQuery(path(word('uuid'), '/ledger'), fields) }),
      table: {
        rows: 'entries',
        columns: [
          ['at', 'created_at'],
          ['kind', 'kind'],
          ['amount', 'amount'],
          ['reference', 'reference'],
          ['call', 'call_uuid'],
          ['details', 'details'],
        ],
      },
    },
  ],
}
