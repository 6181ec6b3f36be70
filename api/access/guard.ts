import { createHash, timingSafeEqual } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { FastifyRequest } from 'fastify'
import type { AccountUuid } from '../../core/index.ts'
import { notFound, Refusal } from '../answer/refusal.ts'
import type { SwitchDoor } from '../door.ts'
import type { Api } from '../fastify.ts'
import { RequestLimits } from './request-limits.ts'

/** Who calls: set by the guard before a handler runs. */
export interface Customer {
  readonly accountUuid: AccountUuid
  readonly keyUuid: string
  readonly isSuspended: boolean
}

const customers = new WeakMap<FastifyRequest, Customer>()

/** The account of a request on a customer's route. */
export function customerOf(request: FastifyRequest): Customer {
  const customer = customers.get(request)
  if (customer === undefined) throw new Error(`${request.routeOptions.url} has no guard`)
  return customer
}

const operators = new WeakSet<FastifyRequest>()

/** The operator's key was shown: on a route that both may use. */
export const isOperator = (request: FastifyRequest): boolean => operators.has(request)

const suspended = () => new Refusal(403, 'the account is suspended.', { code: 'BILL.0403' })

/** For what spends or places a call: a suspended account may only read. */
export function activeCustomerOf(request: FastifyRequest): Customer {
  const customer = customerOf(request)
  if (customer.isSuspended) throw suspended()
  return customer
}

/** Decisions §1: 403 comes before 422. What a suspended account may not do at all is not looked at for its form. */
export function suspendedBefore(request: FastifyRequest): Refusal | undefined {
  if (request.routeOptions.config.spends !== true) return undefined
  return customers.get(request)?.isSuspended === true ? suspended() : undefined
}

// One text for missing, malformed, unknown and revoked: no oracle.
const unauthorized = new Refusal(401, 'Invalid or missing API key.', { headers: { 'www-authenticate': 'Bearer' } })

/** Checks the bearer key of every request by its route's `access`, before the body is read. */
export function guardRoutes(app: Api, door: SwitchDoor, operatorKey: string): void {
  const limits = new RequestLimits()
  const operatorHash = sha256(operatorKey)

  app.addHook('onRequest', async request => {
    // Before the body is read: a refused request has no body worth reading.
    if (request.is404) throw notFound('There is nothing at this path.')
    const { access = 'customer', isKeyless } = request.routeOptions.config
    if (access === 'open' || isKeyless?.(request.ip) === true) return
    const header = request.headers.authorization
    const presented = header === undefined ? null : /^bearer(?: +(.*))?$/i.exec(header)
    if (presented === null) throw unauthorized
    const key = (presented[1] ?? '').trim()
    const asOperator = access !== 'customer' && timingSafeEqual(sha256(key), operatorHash)
    if (asOperator) operators.add(request)
    const isKnown = asOperator || (access !== 'operator' && (await isCustomer(request, key)))
    if (isKnown) return
    limits.countUnknownKey(request.ip, performance.now())
    throw unauthorized
  })

  async function isCustomer(request: FastifyRequest, key: string): Promise<boolean> {
    const owner = await door.repositories.keys.ownerOf(key)
    if (owner === undefined) return false
    limits.countRequest(owner.accountUuid, performance.now())
    door.repositories.keys.used(owner.keyUuid, Date.now())
    customers.set(request, {
      accountUuid: owner.accountUuid,
      keyUuid: owner.keyUuid,
      isSuspended: owner.accountStatus === 'suspended',
    })
    return true
  }
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
