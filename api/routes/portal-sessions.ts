import { timingSafeEqual } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import type { AccountUuid, PortalSession as SessionRecord } from '../../core/index.ts'
import type { EndedAccess } from '../access/ended-access.ts'
import { customerOf, sha256, unauthorized } from '../access/guard.ts'
import {
  fingerprintOf,
  formTokenOf,
  isOfKey,
  refuseForeignPage,
  refuseForged,
  type SessionKind,
  sessionCookie,
  sessionSecretOf,
} from '../access/portal-cookie.ts'
import type { RequestLimits } from '../access/request-limits.ts'
import { overviewAnswer } from '../answer/overview.ts'
import { invalid, notFound } from '../answer/refusal.ts'
import { timeOf } from '../answer/render.ts'
import type { SwitchDoor } from '../base/door.ts'
import type { Api } from '../base/fastify.ts'
import { errors, openErrors } from '../schema/error.ts'
import { identifier, listOf, message, resource } from '../schema/field.ts'
import {
  CurrentSessions,
  LinkOrder,
  PortalLink,
  PortalSession,
  SessionQuery,
  SignedIn,
  SignIn,
} from '../schema/portal.ts'

const linkSeconds = 3600
const tags = ['portal']
const byUuid = Type.Object({ uuid: identifier("The session's uuid.") })
const kinds = ['customer', 'operator'] as const

/** Where a one-time link leads: its secret stands behind #, where no server and no log sees it. */
export const portalLinkOf = (publicUrl: string, secret: string): string => `${publicUrl}/#link=${secret}`

const rendered = (session: SessionRecord) => ({
  uuid: session.uuid,
  origin: session.origin,
  address: session.address,
  user_agent: session.userAgent,
  created_at: timeOf(session.createdUnix),
  last_used_at: timeOf(session.seenUnix),
  expires_at: timeOf(session.expiresUnix),
})

const kindOf = (session: SessionRecord): SessionKind => (session.accountUuid === null ? 'operator' : 'customer')

const signedIn = (session: SessionRecord, secret: string) => ({
  kind: kindOf(session),
  session: session.uuid,
  account_name: session.accountName,
  origin: session.origin,
  form_token: formTokenOf(secret),
  expires_at: timeOf(session.expiresUnix),
})

/** A key or a link is exchanged for a session in a cookie that scripts cannot read. */
export function portalSessionRoutes(
  app: Api,
  door: SwitchDoor,
  operatorKey: string,
  limits: RequestLimits,
  access: EndedAccess,
): void {
  const { portalSessions, keys, accounts } = door.repositories
  const { publicUrl } = door.settings
  const operatorHash = sha256(operatorKey)
  const fingerprint = fingerprintOf(operatorKey)
  const endOf = async (account: AccountUuid | null, uuid: string): Promise<boolean> => {
    const hasEnded = await portalSessions.end(account, uuid)
    if (hasEnded) access.end(uuid, performance.now())
    return hasEnded
  }
  const find = async (secret: string): Promise<SessionRecord | undefined> => {
    const found = await portalSessions.find(secret, Date.now())
    return found !== undefined && isOfKey(found, fingerprint) ? found : undefined
  }

  app.post('/portal/session', {
    config: { access: 'open' },
    schema: {
      tags,
      summary: 'Sign in to the portal',
      description: 'Sets a cookie that scripts cannot read, for this site alone.',
      body: SignIn,
      response: {
        201: { ...resource(SignedIn), description: 'The session.' },
        ...openErrors(400, 401, 403, 413, 415, 422, 429),
      },
    },
    handler: async (request, reply) => {
      refuseForeignPage(request, publicUrl)
      const opened = await openSession(request, request.body)
      if (opened === undefined) {
        limits.countUnknownKey(request.ip, performance.now())
        throw unauthorized
      }
      const { secret, session } = opened
      await endReplaced(request, kindOf(session))
      const seconds = Math.floor((session.expiresUnix - session.createdUnix) / 1000)
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .header('set-cookie', sessionCookie(kindOf(session), request, secret, seconds))
        .send(signedIn(session, secret))
    },
  })

  /** The cookie that the new one takes the place of: a session that no browser has must not stay open. */
  async function endReplaced(request: FastifyRequest, kind: SessionKind): Promise<void> {
    const secret = sessionSecretOf(kind, request)
    const replaced = secret === undefined ? undefined : await find(secret)
    if (replaced !== undefined && kindOf(replaced) === kind) await endOf(replaced.accountUuid, replaced.uuid)
  }

  async function openSession(request: FastifyRequest, { key, link }: Static<typeof SignIn>) {
    const unixMs = Date.now()
    const from = { address: request.ip, userAgent: request.headers['user-agent'] ?? '' }
    if (link !== undefined && key === undefined)
      return portalSessions.redeem(link.trim(), { ...from, operatorKey: fingerprint }, unixMs)
    if (key === undefined || link !== undefined) throw invalid('key', 'give either key or link')
    const given = key.trim()
    if (timingSafeEqual(sha256(given), operatorHash))
      return portalSessions.open({ ...from, accountUuid: null, keyUuid: fingerprint, origin: 'key' }, unixMs)
    const owner = await keys.ownerOf(given)
    if (owner === undefined) return undefined
    limits.countRequest(owner.accountUuid, performance.now())
    keys.used(owner.keyUuid, unixMs)
    return portalSessions.open(
      { ...from, accountUuid: owner.accountUuid, keyUuid: owner.keyUuid, origin: 'key' },
      unixMs,
    )
  }

  app.get('/portal/session', {
    config: { access: 'open' },
    schema: {
      tags,
      summary: 'Who this browser is signed in as',
      querystring: SessionQuery,
      response: {
        200: { ...resource(CurrentSessions), description: 'Null where it is not.' },
        ...openErrors(403, 422, 429),
      },
    },
    handler: async (request, reply) => {
      refuseForeignPage(request, publicUrl)
      const current = async (kind: SessionKind) => {
        const secret = sessionSecretOf(kind, request)
        const found = secret === undefined ? undefined : await find(secret)
        return secret === undefined || found === undefined || kindOf(found) !== kind ? null : { found, secret }
      }
      const [customer, operator] = await Promise.all(kinds.map(current))
      const account = customer?.found.accountUuid
      if (account) limits.countRequest(account, performance.now())
      const overview = request.query.with === 'overview' && account ? await overviewAnswer(door, account) : undefined
      return reply.header('cache-control', 'no-store').send({
        customer: customer ? signedIn(customer.found, customer.secret) : null,
        operator: operator ? signedIn(operator.found, operator.secret) : null,
        ...(overview === undefined ? {} : { overview }),
      })
    },
  })

  app.delete('/portal/session', {
    config: { access: 'open' },
    schema: {
      tags,
      summary: 'Sign out of the portal',
      querystring: Type.Object({
        kind: Type.Union([Type.Literal('customer'), Type.Literal('operator')], {
          default: 'customer',
          description: 'Which session ends.',
        }),
      }),
      response: { 200: message('Done.'), ...openErrors(403, 422, 429) },
    },
    handler: async (request, reply) => {
      const { kind } = request.query
      const secret = sessionSecretOf(kind, request)
      if (secret !== undefined) {
        refuseForged(request, secret, publicUrl)
        const session = await find(secret)
        if (session?.accountUuid) limits.countRequest(session.accountUuid, performance.now())
        if (session !== undefined) await endOf(session.accountUuid, session.uuid)
      }
      return reply.header('set-cookie', sessionCookie(kind, request, '', 0)).send({ message: 'The session has ended.' })
    },
  })

  const listed = { 200: listOf(PortalSession, 'Newest first.'), ...errors() }
  const ended = { 200: message('Done.'), ...errors(404, 422) }
  const end = async (account: AccountUuid | null, uuid: string) => {
    if (!(await endOf(account, uuid))) throw notFound('There is no such session.')
    return { message: 'The session has ended.' }
  }
  const list = async (account: AccountUuid | null) =>
    (await portalSessions.list(account, Date.now())).filter(each => isOfKey(each, fingerprint)).map(rendered)

  app.get('/portal/sessions', {
    schema: { tags, summary: 'Browsers signed in as the account', response: listed },
    handler: async (request, reply) => reply.send(await list(customerOf(request).accountUuid)),
  })
  app.delete('/portal/sessions/:uuid', {
    schema: { tags, summary: 'End a session of the portal', params: byUuid, response: ended },
    handler: async (request, reply) => reply.send(await end(customerOf(request).accountUuid, request.params.uuid)),
  })
  const config = { access: 'operator' } as const
  app.get('/operator/sessions', {
    config,
    schema: { tags: ['operator'], summary: 'Browsers signed in to the console', response: listed },
    handler: async (_request, reply) => reply.send(await list(null)),
  })
  app.delete('/operator/sessions/:uuid', {
    config,
    schema: { tags: ['operator'], summary: 'End a session of the console', params: byUuid, response: ended },
    handler: async (request, reply) => reply.send(await end(null, request.params.uuid)),
  })

  app.post('/operator/accounts/:uuid/link', {
    config,
    schema: {
      tags: ['operator'],
      summary: 'A one-time link to the portal of an account',
      description: 'Opens one session within an hour.',
      params: Type.Object({ uuid: identifier("The account's uuid.") }),
      body: LinkOrder,
      response: {
        201: { ...resource(PortalLink), description: 'The link; it is shown only here.' },
        ...errors(400, 404, 413, 415, 422),
      },
    },
    preValidation: async request => {
      if (request.body === undefined) request.body = {}
    },
    handler: async (request, reply) => {
      const account = await accounts.get(request.params.uuid)
      if (account === undefined) throw notFound('There is no such account.')
      const origin = request.body.sign_in_as === true ? 'operator' : 'link'
      const secret = await portalSessions.link(account.uuid, origin, Date.now())
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({ url: portalLinkOf(publicUrl, secret), expires_in: linkSeconds })
    },
  })
}
