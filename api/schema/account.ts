import { Type } from '@sinclair/typebox'
import { choice, decimal, line, moneyOut, timestamp, uuidOut } from './field.ts'
import { QuotaUsage, quotaLimits, quotasInForce } from './quota.ts'

const accountFields = {
  uuid: uuidOut(),
  name: Type.String({ description: 'Who it is.', examples: ['Acme'] }),
  wallet_balance: moneyOut('Decimal KES.'),
  status: choice(['active', 'suspended'], 'A suspended account can read, but not spend or place calls.'),
}

export const Account = Type.Object(accountFields, { $id: 'Account' })

/** The account as the operator sees it. */
export const OperatorAccount = Type.Object(
  {
    ...accountFields,
    grace_amount: moneyOut('Spendable beyond the balance.'),
    credit_limit: moneyOut('Spendable beyond balance and grace.'),
    max_concurrent_calls: Type.Integer({ description: 'Live calls that it may have placed.' }),
    max_calls_per_second: Type.Integer({ description: 'New calls a second, and dialled legs to trunks a second.' }),
    max_inbound_calls: Type.Integer({ description: 'Live calls to its numbers.' }),
    max_dialled_legs: Type.Integer({ description: 'Live legs that its Dials have opened.' }),
    ...quotasInForce,
    held_amount: moneyOut('Reserved for live calls; not spendable.'),
    live_calls: Type.Integer(),
    usage: QuotaUsage,
    created_at: timestamp('When it was made.'),
  },
  { $id: 'OperatorAccount' },
)

const limits = {
  grace_amount: Type.Optional(decimal('Spendable beyond the balance. Default "0".')),
  credit_limit: Type.Optional(decimal('Spendable beyond balance and grace. Default "0".')),
  max_concurrent_calls: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Live calls it may have placed. Default 50.' }),
  ),
  max_calls_per_second: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: 'New calls a second, and as many dialled legs to trunks. Default 10.',
    }),
  ),
  max_inbound_calls: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: 'Live calls to its numbers, on-net ones included; beyond it 480, END.4429. Default 100.',
    }),
  ),
  max_dialled_legs: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: 'Live legs that its Dials have opened; beyond it a leg fails, END.4429. Default 200.',
    }),
  ),
  ...quotaLimits,
}

export const NewAccount = Type.Object({
  name: line('Who it is.'),
  wallet_balance: Type.Optional(decimal('First balance. Default "0".')),
  ...limits,
})

export const AccountChange = Type.Object({
  name: Type.Optional(line('Who it is.')),
  status: Type.Optional(choice(['active', 'suspended'], 'Suspend or reinstate.')),
  ...limits,
})
