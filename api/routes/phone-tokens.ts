import { activeCustomerOf, customerOf } from '../access/guard.ts'
import { iceServers } from '../answer/ice-servers.ts'
import { notFound, Refusal } from '../answer/refusal.ts'
import { renderPhoneToken } from '../answer/render.ts'
import type { SwitchDoor } from '../base/door.ts'
import type { Api } from '../base/fastify.ts'
import { errors } from '../schema/error.ts'
import { byUuid, message, resource } from '../schema/field.ts'
import { defaultConcurrentCalls, defaultTokenSeconds, MintedToken, MintOrder } from '../schema/phone-token.ts'

export function phoneTokenRoutes(app: Api, door: SwitchDoor): void {
  const { phoneTokens } = door.repositories
  const { ice, sip } = door.settings
  const tags = ['phone-tokens']

  app.post('/phone-tokens/mint', {
    config: { spends: true },
    schema: {
      tags,
      summary: 'Mint a phone token',
      description:
        'On your backend; only `token` and `iceServers` go to the browser. An end-user may have 100 valid tokens; beyond them 409.',
      body: MintOrder,
      response: {
        200: { ...resource(MintedToken), description: 'The token; it is shown only here.' },
        ...errors(400, 402, 403, 404, 409, 413, 415, 422),
      },
    },
    handler: async (request, reply) => {
      const { accountUuid } = activeCustomerOf(request)
      const { uuid, ttl_seconds: ttl, max_concurrent: most } = request.body
      const order = {
        endUserUuid: uuid,
        ttlSeconds: ttl ?? defaultTokenSeconds,
        maxConcurrent: most ?? defaultConcurrentCalls,
        realm: sip.realm,
      }
      const unixMs = Date.now()
      const minted = await phoneTokens.mint(accountUuid, order, unixMs)
      if (!minted.ok) throw refusalOf(minted.refused)
      return reply.header('cache-control', 'no-store').send({
        token: minted.token,
        phone_token: renderPhoneToken(minted.record, unixMs),
        iceServers: iceServers(ice, uuid, minted.record.expiresUnix),
      })
    },
  })

  app.post('/phone-tokens/revoke', {
    schema: {
      tags,
      summary: 'Revoke a phone token',
      description:
        'It is unusable at once; live calls go on. Of an end-user’s revoked and expired tokens the last 100 are kept; an older one is unknown: 404.',
      body: byUuid('token'),
      response: { 200: message('Done.'), ...errors(400, 404, 413, 415, 422) },
    },
    handler: async (request, reply) => {
      if (!(await phoneTokens.revoke(customerOf(request).accountUuid, request.body.uuid, Date.now()))) {
        throw notFound('The account has no such phone token.')
      }
      return reply.send({ message: 'The phone token is revoked.' })
    },
  })
}

function refusalOf(refused: 'unknown' | 'other-account' | 'inactive' | 'insufficient-funds'): Refusal {
  switch (refused) {
    case 'unknown':
      return notFound('There is no such end-user.')
    case 'other-account':
      return new Refusal(400, 'The end-user belongs to another account.')
    case 'inactive':
      return new Refusal(400, 'The end-user is not active.')
    case 'insufficient-funds':
      return new Refusal(402, 'the account cannot fund a call; top up and retry.', { code: 'BILL.0402' })
  }
}
