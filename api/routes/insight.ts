import { randomUUID } from 'node:crypto'
import { callbackEnvelope, type LoggedEvent } from '../../core/index.ts'
import { customerOf } from '../access/guard.ts'
import { pageAnswer } from '../answer/page.ts'
import { conflict, notFound } from '../answer/refusal.ts'
import { renderLedgerLine, renderPhoneToken, timeOf } from '../answer/render.ts'
import { summaryAnswer } from '../answer/summary.ts'
import type { SwitchDoor } from '../base/door.ts'
import type { Api } from '../base/fastify.ts'
import { jsonType } from '../request/failure.ts'
import { errors } from '../schema/error.ts'
import { listOf, message, Paging, pageOf, resource } from '../schema/field.ts'
import {
  ByCallback,
  CallSummary,
  Delivery,
  DeliveryFilter,
  EventFilter,
  EventRow,
  Registration,
  SummaryFilter,
} from '../schema/insight.ts'
import { LedgerLine } from '../schema/operator.ts'
import { PhoneToken } from '../schema/phone-token.ts'

/** What an account may know of itself beyond its resources: figures, statement, events, deliveries, phones. */
export function insightRoutes(app: Api, door: SwitchDoor): void {
  const { accounts, events, callbackEnds, webhookSettings, phoneTokens, users } = door.repositories

  app.get('/calls/summary', {
    schema: {
      tags: ['calls'],
      summary: 'Calls and failures over time',
      description: 'By the hour; by the day beyond three days.',
      querystring: SummaryFilter,
      response: { 200: { ...resource(CallSummary), description: 'The figures.' }, ...errors(422) },
    },
    handler: async (request, reply) =>
      reply.send(await summaryAnswer(door, customerOf(request).accountUuid, request.query.hours)),
  })

  app.get('/account/ledger', {
    schema: {
      tags: ['account'],
      summary: 'What moved the balance, newest first',
      querystring: Paging,
      response: { 200: pageOf('entries', LedgerLine), ...errors(422) },
    },
    handler: async (request, reply) => {
      const { lines, total } = await accounts.statement(customerOf(request).accountUuid, request.query)
      return reply.send(pageAnswer('entries', lines.map(renderLedgerLine), total, request.query))
    },
  })

  app.get('/events/', {
    schema: {
      tags: ['stream'],
      summary: 'Events that were, newest first',
      querystring: EventFilter,
      response: { 200: listOf(EventRow, 'As the stream sent them.'), ...errors(422) },
    },
    handler: async (request, reply) => {
      const { problems, ...range } = request.query
      const filter = { ...range, problems: problems === 'true' }
      return reply
        .type(jsonType)
        .send(`[${(await events.listTexts(customerOf(request).accountUuid, filter)).join(',')}]`)
    },
  })

  app.get('/account/webhooks/deliveries', {
    schema: {
      tags: ['webhooks'],
      summary: 'Status callbacks that were delivered or given up, newest first',
      querystring: DeliveryFilter,
      response: { 200: listOf(Delivery, 'With what was sent.'), ...errors(422) },
    },
    handler: async (request, reply) => {
      const { accountUuid } = customerOf(request)
      const { outcome, ...range } = request.query
      const code = outcome === undefined ? 'WH.0' : outcome === 'delivered' ? 'WH.0200' : 'WH.0400'
      // A request for a test is none: left out there, so that a page has as many as were asked for.
      const found = await events.deliveries(accountUuid, { ...range, code, except: 'WH.0100' })
      return reply.send(found.map(({ end, sent }) => renderDelivery(end, sent)))
    },
  })

  app.post('/account/webhooks/deliveries/resend', {
    schema: {
      tags: ['webhooks'],
      summary: 'Send a status callback again',
      description: 'To where the status webhook of its number or the account leads now.',
      body: ByCallback,
      response: { 200: message('Done.'), ...errors(400, 404, 409, 413, 415, 422) },
    },
    handler: async (request, reply) => {
      const { accountUuid } = customerOf(request)
      const url = (await webhookSettings.get(accountUuid)).endpoints.status
      if (url === '') throw conflict('The account has no status webhook: set one first.')
      if (!(await callbackEnds.again(accountUuid, request.body.id, url))) throw notFound('There is no such event.')
      return reply.send({ message: 'The callback is sent again.' })
    },
  })

  app.post('/account/webhooks/test', {
    schema: {
      tags: ['webhooks'],
      summary: 'Send a test event to the status webhook',
      response: { 200: message('Done.'), ...errors(409) },
    },
    handler: async (request, reply) => {
      const { accountUuid } = customerOf(request)
      const url = (await webhookSettings.get(accountUuid)).endpoints.status
      if (url === '') throw conflict('The account has no status webhook: set one first.')
      await callbackEnds.test(accountUuid, url, randomUUID(), Date.now())
      return reply.send({ message: 'A test event is on its way.' })
    },
  })

  app.get('/phone-tokens/', {
    schema: {
      tags: ['phone-tokens'],
      summary: 'Phone tokens that have not expired, newest first',
      response: { 200: listOf(PhoneToken, 'At most 200; never the secrets.'), ...errors() },
    },
    handler: async (request, reply) => {
      const unixMs = Date.now()
      const rows = await phoneTokens.list(customerOf(request).accountUuid, unixMs)
      return reply.send(rows.map(row => renderPhoneToken(row, unixMs)))
    },
  })

  app.get('/users/registrations', {
    schema: {
      tags: ['users'],
      summary: 'Phones that are registered now',
      response: { 200: listOf(Registration, 'Of all end-users.'), ...errors() },
    },
    handler: async (request, reply) => {
      const own = await users.list(customerOf(request).accountUuid)
      const phones = own.flatMap(user =>
        (door.phonesOf?.(user.uuid) ?? []).map(({ address, transport }) => ({
          end_user: user.uuid,
          address,
          transport,
        })),
      )
      return reply.send(phones)
    },
  })
}

const renderDelivery = ({ seq, event }: LoggedEvent, callback: LoggedEvent['event'] | undefined) => {
  const { id, code, url, tries, status, detail, answer } = event.data
  return {
    seq,
    id,
    code,
    sid: event.sid ?? '',
    url,
    outcome: event.code === 'WH.0200' ? ('delivered' as const) : ('failed' as const),
    tries,
    status: typeof status === 'number' ? status : null,
    detail: typeof detail === 'string' ? detail : '',
    answer: typeof answer === 'string' ? answer : '',
    finished_at: timeOf(event.createdUnix),
    body: callback === undefined ? null : callbackEnvelope(callback),
  }
}
