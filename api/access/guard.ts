import { createHash, timingSafeEqual } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AccountUuid, PortalSessions } from '../../core/index.ts'
import { Refusal } from '../answer/refusal.ts'
import type { SwitchDoor } from '../base/door.ts'
import type { Access, Api } from '../base/fastify.ts'
import type { WorkTurns } from '../base/work-turns.ts'
import type { HttpConnections } from './http-connections.ts'
import { fingerprintOf, isOfKey, refuseForged, sessionSecretOf } from './portal-cookie.ts'
import { networkOf, type RequestLimits } from './request-limits.ts'

/** The account that sends a request; the guard sets it before a handler runs. */
export interface Customer {
  readonly accountUuid: AccountUuid
  readonly isSuspended: boolean
  /** The key or session that was shown, and the key of the session: with any of them ends what they have opened. */
  readonly shown: readonly string[]
  /** When the session ends by itself; undefined: a key was shown. */
  readonly untilUnix: number | undefined
}

const customers = new WeakMap<FastifyRequest, Customer>()
const operators = new WeakMap<FastifyRequest, string>()

/** The author of an operator's change: `key`, or the uuid of a session of the console. */
export const operatorOf = (request: FastifyRequest): string => operators.get(request) ?? 'key'

/** The account of a request on a customer's route. */
export function customerOf(request: FastifyRequest): Customer {
  const customer = customers.get(request)
  if (customer === undefined) throw new Error(`${request.routeOptions.url} has no guard`)
  return customer
}

/** The owner whose turn a request takes: its account, the operator, or the network that it comes from. */
export const turnOwnerOf = (request: FastifyRequest): string =>
  customers.get(request)?.accountUuid ?? (operators.has(request) ? 'operator' : networkOf(request.ip))

/** The operator's key was shown: on a route that both may use. */
export const isOperator = (request: FastifyRequest): boolean => operators.has(request)

const suspended = () => new Refusal(403, 'the account is suspended.', { code: 'BILL.0403' })

/** For what spends or places a call: a suspended account may only read. */
export function activeCustomerOf(request: FastifyRequest): Customer {
  const customer = customerOf(request)
  if (customer.isSuspended) throw suspended()
  return customer
}

/** 403 comes before 422. What a suspended account may not do at all is not looked at for its form. */
export function suspendedBefore(request: FastifyRequest): Refusal | undefined {
  if (request.routeOptions.config.spends !== true) return undefined
  return customers.get(request)?.isSuspended === true ? suspended() : undefined
}

// One text for missing, malformed, unknown and revoked: no oracle.
export const unauthorized = new Refusal(401, 'Invalid or missing API key.', {
  headers: { 'www-authenticate': 'Bearer' },
})

interface GuardOptions {
  readonly operatorKey: string
  readonly turns: WorkTurns
  readonly limits: RequestLimits
  readonly connections: Pick<HttpConnections, 'proven'>
}

/**
 * Checks the bearer key of every request by its route's `access`, before the body is read; a request of the portal has a
 * session's cookie instead. Who exchanges keys for sessions counts wrong ones in `limits` too.
 */
export function guardRoutes(
  app: Api,
  door: SwitchDoor,
  { operatorKey, turns, limits, connections }: GuardOptions,
): void {
  const operatorHash = sha256(operatorKey)
  const fingerprint = fingerprintOf(operatorKey)

  app.addHook('onRequest', async (request, reply) => {
    try {
      await checkAccess(request)
    } catch (fault) {
      if (fault instanceof Refusal && fault.status === 429) await paced(request, reply)
      else await turns.next(turnOwnerOf(request))
      throw fault
    }
    // However many connections ask at once: one request is begun in a turn of the event loop, and accounts take turns.
    await turns.next(turnOwnerOf(request))
  })

  // What a key or a session shows is for its owner alone: no cache keeps it, also not one that several browsers share.
  app.addHook('onSend', async (request, reply, payload) => {
    const { access = 'customer' } = request.routeOptions.config
    if (access !== 'open' && !reply.hasHeader('cache-control')) reply.header('cache-control', 'private, no-store')
    return payload
  })

  /**
   * Refusals of one client that is over its limit are sent one after the other; when too many wait, the connection is
   * closed too.
   */
  async function paced(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const waitMs = limits.refusalWaitMs(turnOwnerOf(request), performance.now())
    if (waitMs === undefined) reply.header('connection', 'close')
    else if (waitMs > 0) await sleep(waitMs)
  }

  async function checkAccess(request: FastifyRequest): Promise<void> {
    // `refuseOtherMethods` answers, for which no key is needed.
    if (request.is404) return
    const { access = 'customer', isKeyless } = request.routeOptions.config
    if (access === 'open' || isKeyless?.(request.ip) === true) return
    await checkKey(request, access)
    connections.proven(request.raw.socket)
  }

  async function checkKey(request: FastifyRequest, access: Exclude<Access, 'open'>): Promise<void> {
    const header = request.headers.authorization
    if (header === undefined && access !== 'operator' && (await hasSession(request, 'customer'))) return
    if (header === undefined && access !== 'customer' && (await hasSession(request, 'operator'))) return
    const presented = header === undefined ? null : /^bearer(?: +(.*))?$/i.exec(header)
    if (presented === null) throw unauthorized
    const key = (presented[1] ?? '').trim()
    const asOperator = access !== 'customer' && timingSafeEqual(sha256(key), operatorHash)
    if (asOperator) operators.set(request, 'key')
    const isKnown = asOperator || (access !== 'operator' && (await isCustomer(request, key)))
    if (isKnown) return
    limits.countUnknownKey(request.ip, performance.now())
    throw unauthorized
  }

  /** A session is good for the routes of its own side only. */
  async function hasSession(request: FastifyRequest, access: 'customer' | 'operator'): Promise<boolean> {
    const secret = sessionSecretOf(access, request)
    if (secret === undefined) return false
    const { portalSessions } = door.repositories
    const unixMs = Date.now()
    const session = await portalSessions.find(secret, unixMs)
    const isOperator = access === 'operator'
    const isGood = session !== undefined && isOfKey(session, fingerprint)
    if (!isGood || (session.accountUuid === null) !== isOperator) {
      limits.countUnknownKey(request.ip, performance.now())
      throw unauthorized
    }
    refuseForged(request, secret, door.settings.publicUrl)
    if (PortalSessions.isStale(session, unixMs)) await portalSessions.seen(session.uuid, unixMs)
    const { accountUuid, accountStatus, uuid, keyUuid, expiresUnix: untilUnix } = session
    if (accountUuid === null) {
      operators.set(request, session.uuid)
      return true
    }
    const shown = keyUuid === null ? [uuid] : [uuid, keyUuid]
    customers.set(request, { accountUuid, isSuspended: accountStatus === 'suspended', shown, untilUnix })
    limits.countRequest(accountUuid, performance.now())
    return true
  }

  async function isCustomer(request: FastifyRequest, key: string): Promise<boolean> {
    const owner = await door.repositories.keys.ownerOf(key)
    if (owner === undefined) return false
    customers.set(request, {
      accountUuid: owner.accountUuid,
      isSuspended: owner.accountStatus === 'suspended',
      shown: [owner.keyUuid],
      untilUnix: undefined,
    })
    limits.countRequest(owner.accountUuid, performance.now())
    door.repositories.keys.used(owner.keyUuid, Date.now())
    return true
  }
}

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
