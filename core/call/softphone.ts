import { admissionAmount } from '../billing/charge.ts'
import { canSpend } from '../billing/wallet.ts'
import type { Caps } from '../caps/caps.ts'
import type { CallEnvironment } from '../contract/environment.ts'
import type { Found } from '../contract/exchange-event.ts'
import { arrived } from '../contract/hops.ts'
import { Leg } from '../leg/leg.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { LegUuid } from '../model/ids.ts'
import type { PhoneCaller } from '../model/phone.ts'
import { e164Of, isExtension } from '../routing/e164.ts'
import type { Call } from './call.ts'
import type { CallOpening } from './call-book.ts'
import { customPayloadOf } from './call-fields.ts'
import { CallerAdmission, webhookUrl } from './caller-admission.ts'

interface SoftphoneOffer {
  readonly legId: LegUuid
  readonly endUser: PhoneCaller
  /** User part of the Request-URI, or a whole URI. */
  readonly to: string
  readonly sdp: string | undefined
  /** The address that its SIP came from. */
  readonly source: string | undefined
}

type FoundSoftphone = Extract<Found, { kind: 'softphone' }>

/** Longest `X-Service-Custom-Payload` (docs/phones.md, "Calls"). */
const maxPhonePayloadCharacters = 500
const maxDestinationCharacters = 200

/** As records and webhooks name it: E.164 where it can be read as such, else as it was dialled. */
export const dialledNumber = (to: string): string => (isExtension(to) ? to : (e164Of(to) ?? to))

const isPlain = (text: string, most: number): boolean => [...text].length <= most && !/[\u0000-\u001f\u007f]/.test(text)

/** Why a call is not even looked at. */
function refuseForm({ to, endUser }: SoftphoneOffer): EndReason | undefined {
  if (to === '' || !isPlain(to, maxDestinationCharacters)) return 'END.0484'
  if (!isPlain(endUser.customPayload ?? '', maxPhonePayloadCharacters)) return 'END.0400'
  return undefined
}

/** Why the account or the end-user may not place it; caps come after (docs/phones.md, "Calls"). */
function refuseSoftphone(found: FoundSoftphone, to: string, env: CallEnvironment): EndReason | undefined {
  const { account, user, spendable } = found
  if (account === undefined || user?.isActive !== true) return 'END.0403'
  if (account.status === 'suspended') return 'END.4403'
  if (isExtension(to)) return undefined
  const e164 = e164Of(to)
  if (e164 !== undefined && !env.destinations().allows(e164)) return 'END.4433'
  const rate = e164 === undefined ? undefined : env.deck().find('outbound', e164)
  // What is not rated is for the document to decide; it needs as much as a token does: something.
  const needed = rate === undefined ? 1 : admissionAmount(rate)
  const wallet = { balance: spendable, held: 0, graceAmount: 0, creditLimit: 0 }
  return canSpend(wallet, needed) ? undefined : 'END.0402'
}

/**
 * A call that a softphone places. The webhook decides about it; refused calls are kept with their reason, so that the
 * customer can see them, unless their account is not known.
 */
export function beginSoftphone(call: Call, offer: SoftphoneOffer, extension: string, tokens: Caps): void {
  const leg = new Leg(call, {
    uuid: offer.legId,
    role: 'caller',
    direction: 'inbound',
    trunkName: '',
    number: extension,
    codecs: [],
    srtp: 'optional',
    ...(offer.source === undefined ? {} : { source: offer.source }),
    ...(offer.sdp === undefined ? {} : { offer: offer.sdp }),
  })
  call.talk.meet(leg, false)
  const admission = new CallerAdmission(call, leg)
  const malformed = refuseForm(offer)
  if (malformed !== undefined) {
    admission.unknown(malformed)
    return
  }
  const { accountUuid, endUserUuid } = offer.endUser
  call.lookup({ kind: 'softphone', accountId: accountUuid, endUserUuid }, found =>
    admit(call, leg, admission, offer, found, tokens),
  )
}

function admit(
  call: Call,
  leg: Leg,
  admission: CallerAdmission,
  offer: SoftphoneOffer,
  found: FoundSoftphone,
  tokens: Caps,
): void {
  const { account, user, number } = found
  if (account === undefined || user === undefined) {
    admission.unknown('END.0403')
    return
  }
  const payload = customPayloadOf(offer.endUser.customPayload)
  // The account's number is what others see; without one the extension is.
  const fromNumber = number?.number ?? user.extensionNumber ?? leg.number
  const opening: CallOpening = {
    direction: isExtension(offer.to) ? 'internal' : 'outbound',
    fromNumber,
    toNumber: dialledNumber(offer.to),
    customPayload: payload.object,
    startedUnix: leg.startedUnix,
    account,
    ownNumber: fromNumber,
    payloadText: payload.text,
    hops: arrived(),
    endUser: user,
  }
  const url = number === undefined ? account.endpoints.voice_outbound : webhookUrl('voice_outbound', account, number)
  const refused = refuseSoftphone(found, offer.to, call.env) ?? (url === '' ? 'END.3404' : undefined)
  if (refused !== undefined) {
    admission.refuse(opening, refused)
    return
  }
  const places = takePlaces(call, offer.endUser, account, tokens)
  if (typeof places === 'string') admission.refuse(opening, places)
  else admission.admit(opening, { rate: undefined, url, release: places })
}

/** Takes a place of the account and one of the token, and tells how to give them back; or names the missing one. */
function takePlaces(
  call: Call,
  { tokenUuid, maxConcurrent }: PhoneCaller,
  account: NonNullable<FoundSoftphone['account']>,
  tokens: Caps,
): EndReason | (() => void) {
  const { uuid, maxConcurrentCalls, maxCallsPerSecond } = account
  const ofAccount = call.places.take(call.loads.placed, uuid, call.now(), maxConcurrentCalls, maxCallsPerSecond)
  if (typeof ofAccount === 'string') return ofAccount === 'LIMIT.0429' ? 'END.4429' : 'END.4430'
  const ofToken = call.places.take(tokens, tokenUuid, call.now(), maxConcurrent)
  if (typeof ofToken === 'string') {
    ofAccount.giveBack(call.now())
    return 'END.0486'
  }
  return () => {
    ofAccount.release(call.now())
    ofToken.release(call.now())
  }
}
