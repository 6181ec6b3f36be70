import type { CallEnvironment } from '../contract/environment.ts'
import type { Found } from '../contract/exchange-event.ts'
import type { OrderFieldSentence } from '../contract/order-sentences.ts'
import { type OriginateOrder, type OriginateRefusal, refusedBy, refusedField } from '../contract/originate-order.ts'
import type { Route } from '../dial/branch-options.ts'
import { routesToNumber, routesToUser } from '../dial/resolve-child.ts'
import type { AccountProfile } from '../model/account.ts'
import type { CallDirection } from '../model/call-record.ts'
import type { EndReason } from '../model/end-reason.ts'
import { isDeeper, maxJsonLevels } from '../model/json-depth.ts'
import { hasRoundedNumber, maxJsonNumber } from '../model/json-number.ts'
import type { Rate } from '../model/rate.ts'
import { isE164, isExtension } from '../routing/e164.ts'
import { customPayloadOf, maxCustomPayloadBytes } from './call-fields.ts'

export const defaultTimeoutSeconds = 30
const maxTimeoutSeconds = 300

/** Checks an order without any look-up. */
export function checkOrder(order: OriginateOrder): OriginateRefusal | undefined {
  const { to, from, timeoutSeconds = defaultTimeoutSeconds, customPayload } = order
  if (!isE164(to) && !isExtension(to)) return refusedField('to', '+ and 7 to 15 digits, or an extension')
  if (!isE164(from)) return refusedField('from', '+ and 7 to 15 digits')
  if (!/^https?:\/\/\S+$/i.test(order.url)) return refusedField('url', 'an http or https URL')
  if (!Number.isInteger(timeoutSeconds) || timeoutSeconds < 1 || timeoutSeconds > maxTimeoutSeconds) {
    return refusedField('timeout', `1 to ${maxTimeoutSeconds} seconds`)
  }
  const problem = customPayload === undefined ? undefined : payloadProblem(customPayload)
  return problem === undefined ? undefined : refusedField('customPayload', problem)
}

const tooDeep: OrderFieldSentence = `at most ${maxJsonLevels} levels of objects and lists`

/** An object is measured before it is written as text, a text before it is parsed. */
function payloadProblem(payload: NonNullable<OriginateOrder['customPayload']>): OrderFieldSentence | undefined {
  if (isDeeper(payload, maxJsonLevels)) return tooDeep
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
  if (new TextEncoder().encode(text).length > maxCustomPayloadBytes) return `at most ${maxCustomPayloadBytes} bytes`
  if (hasRoundedNumber(payload)) return `numbers from -${maxJsonNumber} to ${maxJsonNumber}; write others as text`
  return typeof payload === 'string' && isDeeper(customPayloadOf(payload).object, maxJsonLevels) ? tooDeep : undefined
}

export interface AdmittedPlacing {
  readonly ok: true
  readonly account: AccountProfile
  readonly direction: CallDirection
  /** Why it cannot be reached, though it may be placed. */
  readonly unreachable: EndReason | undefined
  /** The routes to each place where it may be. */
  readonly places: readonly (readonly Route[])[]
  readonly rate: Rate | undefined
}

/** Whether an account may place a call, and how it goes; caps and money come after. */
export function admitPlacing(
  order: OriginateOrder,
  found: Extract<Found, { kind: 'placing' }>,
  env: CallEnvironment,
): AdmittedPlacing | OriginateRefusal {
  const { account, from } = found
  if (account === undefined) return refusedBy('END.0403', 'the account does not exist')
  if (account.status === 'suspended') return refusedBy('BILL.0403', 'the account is suspended')
  if (from === undefined || !from.isActive) {
    return refusedBy('END.0403', `${order.from} is not an active number of this account`)
  }
  if (isExtension(order.to)) {
    const places = routesToUser(found, env)
    const unreachable = places.length === 0 ? 'END.1480' : undefined
    return { ok: true, account, direction: 'internal', unreachable, places, rate: undefined }
  }
  if (!env.destinations().allows(order.to)) return refusedBy('END.4433', `calls to ${order.to} are not allowed`)
  const rate = env.deck().find('outbound', order.to)
  if (rate === undefined) return refusedBy('BILL.0404', `there is no rate for ${order.to}`)
  const places = [routesToNumber(order.to, found, env)]
  return { ok: true, account, direction: 'outbound', unreachable: undefined, places, rate }
}
