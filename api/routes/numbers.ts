import { type AccountUuid, assertNever, formatMoney } from '../../core/index.ts'
import { activeCustomerOf, customerOf } from '../access/guard.ts'
import { conflict, notFound, Refusal } from '../answer/refusal.ts'
import { renderNumber } from '../answer/render.ts'
import type { SwitchDoor } from '../base/door.ts'
import type { Api } from '../base/fastify.ts'
import { answerOf, idempotencyHeader, once } from '../request/idempotency.ts'
import { callbackUrl, parsedUrl } from '../request/parsed-url.ts'
import { errors } from '../schema/error.ts'
import { byUuid, listOf, message, resource } from '../schema/field.ts'
import { NumberChange, OwnedNumber, PoolNumber, PoolQuery } from '../schema/number.ts'

export function numberRoutes(app: Api, door: SwitchDoor): void {
  const { numbers, webhookSettings, documents } = door.repositories
  const tags = ['numbers']
  const number = { ...resource(OwnedNumber), description: 'The number.' }
  const defaultInbound = async (accountUuid: AccountUuid) =>
    (await webhookSettings.get(accountUuid)).endpoints.voice_inbound

  app.get('/numbers/', {
    schema: {
      tags,
      summary: 'Numbers of the account',
      response: { 200: listOf(OwnedNumber, 'All of them.'), ...errors() },
    },
    handler: async (request, reply) => {
      const { accountUuid } = customerOf(request)
      const inherited = await defaultInbound(accountUuid)
      return reply.send((await numbers.owned(accountUuid)).map(number => renderNumber(number, inherited)))
    },
  })

  app.get('/numbers/available', {
    schema: {
      tags,
      summary: 'Numbers in the pool',
      querystring: PoolQuery,
      response: { 200: listOf(PoolNumber, 'All that are free.'), ...errors(422) },
    },
    handler: async (request, reply) => {
      const withFees = request.query.fees === 'true'
      const pool = await numbers.available()
      return reply.send(
        pool.map(({ uuid, number, setupFee }) => ({
          uuid,
          number,
          ...(withFees ? { setup_fee: formatMoney(setupFee) } : {}),
        })),
      )
    },
  })

  app.post('/numbers/acquire', {
    config: { spends: true },
    schema: {
      tags,
      summary: 'Acquire a number from the pool',
      description: 'Charges its setup fee once.',
      headers: idempotencyHeader,
      body: byUuid('pool number'),
      response: { 200: number, ...errors(400, 402, 403, 404, 409, 413, 415, 422) },
    },
    handler: (request, reply) =>
      once(door, request, reply, customerOf(request).accountUuid, async key => {
        const { accountUuid } = activeCustomerOf(request)
        const inherited = await defaultInbound(accountUuid)
        const { uuid } = request.body
        const unixMs = Date.now()
        let result = await numbers.offer(accountUuid, uuid, unixMs)
        if (result.ok) {
          // Made beforehand: the answer commits with the effect that it reports.
          const answer = answerOf(200, renderNumber(result.number, inherited))
          result = await numbers.acquire(accountUuid, uuid, unixMs, key === undefined ? undefined : { key, ...answer })
          if (result.ok) return answer
        }
        switch (result.refused) {
          case 'unknown':
            throw notFound('There is no such number in the pool.')
          case 'taken':
            throw conflict('The number is already taken.')
          case 'insufficient-funds':
            throw new Refusal(402, `the setup fee of ${formatMoney(result.fee)} KES exceeds the spendable balance.`, {
              code: 'BILL.0402',
            })
          default:
            assertNever(result)
        }
      }),
  })

  app.post('/numbers/release', {
    schema: {
      tags,
      summary: 'Give a number back to the pool',
      body: byUuid('number'),
      response: { 200: message('Done.'), ...errors(400, 404, 413, 415, 422) },
    },
    handler: async (request, reply) => {
      const released = await numbers.release(customerOf(request).accountUuid, request.body.uuid)
      if (released === undefined) throw notFound('The account has no such number.')
      return reply.send({ message: `${released} is back in the pool.` })
    },
  })

  app.post('/numbers/configure', {
    schema: {
      tags,
      summary: 'Change the webhooks or the label of a number',
      description: 'Only fields that are sent are changed.',
      body: NumberChange,
      response: { 200: number, ...errors(400, 404, 413, 415, 422) },
    },
    handler: async (request, reply) => {
      const { accountUuid } = customerOf(request)
      const { uuid, webhook_urls: urls, friendly_name: friendlyName } = request.body
      const override = (purpose: 'voice_inbound' | 'voice_outbound' | 'status') => {
        const url = urls?.[purpose]
        if (url === undefined || url === null) return undefined
        const field = `webhook_urls.${purpose}`
        return purpose === 'status' ? callbackUrl(field, url, text => documents.isHosted(text)) : parsedUrl(field, url)
      }
      const changed = await numbers.configure(accountUuid, uuid, {
        voiceInbound: override('voice_inbound'),
        voiceOutbound: override('voice_outbound'),
        status: override('status'),
        friendlyName: friendlyName ?? undefined,
      })
      if (changed === undefined) throw notFound('The account has no such number.')
      return reply.send(renderNumber(changed, await defaultInbound(accountUuid)))
    },
  })
}
