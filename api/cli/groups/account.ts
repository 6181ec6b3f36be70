import { type FieldFlag, type Group, pageFlags, segment, withQuery } from '../action.ts'

const limits: readonly FieldFlag[] = [
  { flag: 'grace', field: 'grace_amount', kind: 'text', help: 'KES spendable beyond the balance (0)' },
  { flag: 'credit-limit', field: 'credit_limit', kind: 'text', help: 'KES spendable beyond balance and grace (0)' },
  { flag: 'max-calls', field: 'max_concurrent_calls', kind: 'integer', help: 'live calls (50)' },
  { flag: 'max-cps', field: 'max_calls_per_second', kind: 'integer', help: 'new calls a second (10)' },
]
const name: FieldFlag = { flag: 'name', field: 'name', kind: 'text', help: 'what it is called' }
const path = (uuid: string, rest = '') => `/operator/accounts/${segment(uuid)}${rest}`

export const account: Group = {
  name: 'account',
  summary: 'accounts, their money and their keys',
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
      summary: 'make an account; shows its first API key, once',
      access: 'operator',
      flags: [
        name,
        { flag: 'balance', field: 'wallet_balance', kind: 'text', help: 'first balance in KES (0)' },
        ...limits,
      ],
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
      flags: [name, { flag: 'status', field: 'status', kind: 'text', help: 'active or suspended' }, ...limits],
      request: ({ word, fields }) => ({ method: 'PATCH', path: path(word('uuid')), body: fields }),
    },
    {
      name: 'credit',
      words: ['uuid', 'amount'],
      summary: 'add KES to the wallet; a debit is "-- UUID -12.50"',
      access: 'operator',
      flags: [
        { flag: 'reference', field: 'reference', kind: 'text', help: 'the same reference again changes nothing' },
      ],
      request: ({ word, fields }) => ({
        method: 'POST',
        path: path(word('uuid'), '/credit'),
        body: { amount: word('amount'), ...fields },
      }),
    },
    {
      name: 'key',
      words: ['uuid'],
      summary: 'make another API key; shows it, once',
      access: 'operator',
      flags: [name],
      request: ({ word, fields }) => ({ method: 'POST', path: path(word('uuid'), '/keys'), body: fields }),
    },
    {
      name: 'ledger',
      words: ['uuid'],
      summary: 'what moved the balance, newest first',
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
