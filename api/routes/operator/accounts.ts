import { type Static, Type } from '@sinclair/typebox'
import { type AccountRecord, type AccountUuid, type Money, parseMoney } from '../../../core/index.ts'
import { pageAnswer } from '../../answer/page.ts'
import { invalid, notFound } from '../../answer/refusal.ts'
import { renderKey, renderLedgerLine, renderOperatorAccount } from '../../answer/render.ts'
import type { SwitchDoor } from '../../base/door.ts'
import type { Api } from '../../base/fastify.ts'
import { AccountChange, NewAccount, OperatorAccount } from '../../schema/account.ts'
import { errors } from '../../schema/error.ts'
import { identifier, Paging, pageOf, paging, resource, searchOf } from '../../schema/field.ts'
import { CreatedApiKey, NewApiKey } from '../../schema/key.ts'
import { CreatedAccount, Credit, LedgerLine } from '../../schema/operator.ts'
import { tooManyKeys } from '../keys.ts'

const byUuid = Type.Object({ uuid: identifier("The account's uuid.") })
const answer = { ...resource(OperatorAccount), description: 'The account.' }
const config = { access: 'operator' } as const
const tags = ['operator']

/** `streamsOf`: how many streams an account has open. */
export function operatorAccountRoutes(app: Api, door: SwitchDoor, streamsOf: (account: AccountUuid) => number): void {
  const { accounts, keys } = door.repositories
  const rendered = (account: AccountRecord) =>
    renderOperatorAccount(account, door.calls.liveOf(account.uuid), streamsOf(account.uuid))
  const mustGet = async (uuid: string): Promise<AccountRecord> => {
    const account = await accounts.get(uuid)
    if (account === undefined) throw notFound('There is no such account.')
    return account
  }

  app.post('/operator/accounts', {
    config,
    schema: {
      tags,
      summary: 'Make an account with its first API key',
      body: NewAccount,
      response: {
        201: { ...CreatedAccount, description: 'The account, and the secret of its key.' },
        ...errors(400, 413, 415, 422),
      },
    },
    handler: async (request, reply) => {
      const { name, wallet_balance: balance } = request.body
      const fields = { name, walletBalance: money(balance), ...limitsOf(request.body) }
      const made = await accounts.create(fields, Date.now())
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({ account: rendered(made.account), key: made.key })
    },
  })

  app.get('/operator/accounts', {
    config,
    schema: {
      tags,
      summary: 'Accounts, newest first',
      querystring: Type.Object({ ...paging, search: searchOf('Any part of the name, or the whole uuid.') }),
      response: { 200: pageOf('accounts', OperatorAccount), ...errors(422) },
    },
    handler: async (request, reply) => {
      const { limit, offset, search = '' } = request.query
      const { rows, total } = await accounts.list({ limit, offset, search: search.trim() })
      return reply.send(pageAnswer('accounts', rows.map(rendered), total, request.query))
    },
  })

  app.get('/operator/accounts/:uuid', {
    config,
    schema: { tags, summary: 'An account', params: byUuid, response: { 200: answer, ...errors(404, 422) } },
    handler: async (request, reply) => reply.send(rendered(await mustGet(request.params.uuid))),
  })

  app.patch('/operator/accounts/:uuid', {
    config,
    schema: {
      tags,
      summary: 'Change an account',
      description:
        'Only fields that are sent are changed; the balance moves by credit. Live calls of an account that becomes suspended run to their end.',
      params: byUuid,
      body: AccountChange,
      response: { 200: answer, ...errors(400, 404, 413, 415, 422) },
    },
    handler: async (request, reply) => {
      const { name, status } = request.body
      const changed = await accounts.change(request.params.uuid, { name, status, ...limitsOf(request.body) })
      if (changed === undefined) throw notFound('There is no such account.')
      return reply.send(rendered(changed))
    },
  })

  app.post('/operator/accounts/:uuid/credit', {
    config,
    schema: {
      tags,
      summary: 'Credit or debit the wallet',
      params: byUuid,
      body: Credit,
      response: { 200: answer, ...errors(400, 404, 413, 415, 422) },
    },
    handler: async (request, reply) => {
      const amount = parseMoney(request.body.amount) ?? 0
      if (amount === 0) throw invalid('amount', 'must not be 0')
      const { reference } = request.body
      const credited = await accounts.credit(
        request.params.uuid,
        amount,
        Date.now(),
        // An empty reference names nothing: two credits without one are two credits.
        reference === '' ? undefined : reference,
      )
      if (credited === undefined) throw notFound('There is no such account.')
      return reply.send(rendered(credited))
    },
  })

  app.post('/operator/accounts/:uuid/keys', {
    config,
    schema: {
      tags,
      summary: 'Make an API key for an account',
      params: byUuid,
      body: NewApiKey,
      response: {
        201: { ...resource(CreatedApiKey), description: 'The key; its secret is shown only here.' },
        ...errors(400, 404, 409, 413, 415, 422),
      },
    },
    handler: async (request, reply) => {
      const account = await mustGet(request.params.uuid)
      const made = await keys.create(account.uuid, request.body.name, Date.now())
      if (made === undefined) throw tooManyKeys()
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({ ...renderKey(made.record), key: made.key })
    },
  })

  app.get('/operator/accounts/:uuid/ledger', {
    config,
    schema: {
      tags,
      summary: 'What moved the balance, newest first',
      params: byUuid,
      querystring: Paging,
      response: { 200: pageOf('entries', LedgerLine), ...errors(404, 422) },
    },
    handler: async (request, reply) => {
      const account = await mustGet(request.params.uuid)
      const { lines, total } = await accounts.statement(account.uuid, request.query)
      return reply.send(pageAnswer('entries', lines.map(renderLedgerLine), total, request.query))
    },
  })
}

/** The schema has checked the form. */
const money = (text: string | undefined): Money | undefined => (text === undefined ? undefined : parseMoney(text))

const limitsOf = (body: Static<typeof AccountChange> | Static<typeof NewAccount>) => ({
  graceAmount: money(body.grace_amount),
  creditLimit: money(body.credit_limit),
  maxConcurrentCalls: body.max_concurrent_calls,
  maxCallsPerSecond: body.max_calls_per_second,
  maxInboundCalls: body.max_inbound_calls,
  maxDialledLegs: body.max_dialled_legs,
  quotas: {
    assetBytes: body.max_asset_bytes,
    recordingBytes: body.max_recording_bytes,
    documents: body.max_documents,
    endUsers: body.max_end_users,
    liveTokens: body.max_live_tokens,
    streamConnections: body.max_stream_connections,
  },
})
