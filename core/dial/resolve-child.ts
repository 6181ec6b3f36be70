import type { CallEnvironment } from '../contract/environment.ts'
import type { Found } from '../contract/exchange-event.ts'
import type { EndUserProfile } from '../model/account.ts'
import type { CallRecord } from '../model/call-record.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { PhoneBinding } from '../model/phone.ts'
import type { Trunk } from '../model/trunk.ts'
import type { SrtpWish } from '../ports/media.ts'
import type { LegTarget } from '../ports/signaling.ts'
import { e164Of, isE164, isExtension } from '../routing/e164.ts'
import { routesTo } from '../routing/routes.ts'
import type { DialChild } from '../verbs/index.ts'
import type { BranchOptions, Route } from './branch-options.ts'

/** What a child of Dial reaches, or why nothing. `places`: the routes to each place where it may be. */
export type Resolved =
  | { readonly ok: true; readonly places: readonly (readonly Route[])[]; readonly rate: BranchOptions['rate'] }
  | { readonly ok: false; readonly reason: EndReason }

type Placing = Extract<Found, { kind: 'placing' }>

/** The child as events name it, and what is looked up: an E.164 number, or an end-user; undefined: it is none. */
export function childAddress(child: DialChild): {
  readonly kind: BranchOptions['kind']
  readonly to: string
  readonly e164: string | undefined
  readonly user: string | undefined
} {
  switch (child.kind) {
    case 'number': {
      if (isExtension(child.number)) return { kind: 'number', to: child.number, e164: undefined, user: child.number }
      const e164 = e164Of(child.number)
      return { kind: 'number', to: e164 ?? child.number, e164, user: undefined }
    }
    case 'client':
      return { kind: 'client', to: child.client, e164: undefined, user: child.client }
    case 'sip':
      return { kind: 'sip', to: child.uri, e164: undefined, user: undefined }
  }
}

/** What a trunk is offered, in turn: where SRTP is optional, a trunk that refuses it is asked again without. */
export const wishesOf: Readonly<Record<Trunk['srtp'], readonly SrtpWish[]>> = {
  off: ['off'],
  optional: ['preferred', 'optional'],
  required: ['required'],
}

/** How a number of the telephone network is reached: on this switch, else by the trunks that fit it. */
export function routesToNumber(e164: string, found: Placing, env: CallEnvironment): readonly Route[] {
  if (found.owner !== undefined) return [{ kind: 'on-net' }]
  const routes: Route[] = []
  for (const trunk of routesTo(e164, env.trunks(), () => env.random())) {
    for (const srtp of wishesOf[trunk.srtp]) routes.push({ kind: 'trunk', trunk, srtp })
  }
  return routes
}

const webRtc = { webrtc: true, srtp: 'off' } as const
const secured = { webrtc: false, srtp: 'preferred' } as const

/**
 * A desk phone is offered plain RTP, and if it refuses that, as one does that takes nothing in the clear, WebRTC, then
 * SRTP: in this order, since some that want DTLS ring for the latter, and only fail when they answer.
 */
const routesToPhone = (binding: PhoneBinding): readonly Route[] => {
  const offers = binding.isBrowser ? [webRtc] : [{ webrtc: false, srtp: 'optional' } as const, webRtc, secured]
  return offers.map(offer => ({ kind: 'phone', target: { kind: 'phone', binding }, ...offer }))
}

/** The ways to each softphone of an end-user, on-net and free; none: it is not registered, or may not be called. */
export const routesToUser = (found: Placing, env: CallEnvironment): readonly (readonly Route[])[] =>
  found.user?.isActive === true ? env.bindingsOf(found.user.uuid).map(routesToPhone) : []

/** The number in a SIP URI's user part, where it is written as an international one; digits alone may mean anything. */
const e164InSip = (user: string | undefined): string | undefined =>
  user !== undefined && /^(\+|00)/.test(user) ? e164Of(user) : undefined

/** A number without a rate is a destination that is not offered (END.4433). */
export function resolveChild(child: DialChild, found: Placing, env: CallEnvironment): Resolved {
  if (found.account?.status === 'suspended') return { ok: false, reason: 'END.4403' }
  const { e164, user } = childAddress(child)
  if (user !== undefined) {
    const places = routesToUser(found, env)
    return places.length > 0 ? { ok: true, places, rate: undefined } : { ok: false, reason: 'END.1480' }
  }
  switch (child.kind) {
    case 'client':
      return { ok: false, reason: 'END.1480' }
    case 'sip': {
      const { uri, username, password } = child
      const place = env.sipTarget(uri)
      if (found.account === undefined || place === undefined) return { ok: false, reason: 'END.1408' }
      if (place.isRefused) return { ok: false, reason: 'END.0403' }
      // A number that may not be called may not be called by another way either.
      const number = e164InSip(place.user)
      if (number !== undefined && !env.destinations().allows(number)) return { ok: false, reason: 'END.4433' }
      const rate = env.deck().findSip(place)
      if (rate === undefined && (found.spendable ?? 0) <= 0) return { ok: false, reason: 'END.0402' }
      const target: Extract<LegTarget, { kind: 'uri' }> = {
        kind: 'uri',
        uri,
        account: found.account.uuid,
        ...(username === undefined ? {} : { username }),
        ...(password === undefined ? {} : { password }),
      }
      return { ok: true, places: [[{ kind: 'uri', target, host: place.host }]], rate }
    }
    case 'number': {
      if (e164 === undefined) return { ok: false, reason: 'END.0484' }
      if (!env.destinations().allows(e164)) return { ok: false, reason: 'END.4433' }
      const rate = env.deck().find('outbound', e164)
      if (rate === undefined) return { ok: false, reason: 'END.4433' }
      return { ok: true, places: [routesToNumber(e164, found, env)], rate }
    }
  }
}

/** The caller, as the dialled side sees it. */
interface Presenter {
  /** The call's own number. */
  readonly number: string
  readonly call: Pick<CallRecord, 'direction' | 'fromNumber'>
  /** The softphone that placed the call. */
  readonly endUser: EndUserProfile | undefined
}

/**
 * What the dialled side sees: `callerId` where the account may present it, and without one who calls: an inbound
 * caller's number, or a softphone's extension and name. Numbers of the telephone network see the call's own number,
 * which the account owns: a carrier would refuse another, and so do they when they are reached on-net.
 */
export function presentedTo(
  child: DialChild,
  wanted: string | undefined,
  presenter: Presenter,
  found: Placing,
): BranchOptions['from'] {
  const { number, call } = presenter
  const isOfNetwork = isNumberOfNetwork(child)
  if (wanted === undefined) return isOfNetwork ? { user: number, displayName: '' } : callerOf(presenter)
  const isCallers = !isOfNetwork && call.direction === 'inbound' && wanted === call.fromNumber
  return { user: found.from?.isActive === true || isCallers ? wanted : number, displayName: '' }
}

/**
 * The network is shown only numbers that the account owns: a call may go on after its account has released the call's own
 * number, and another account may own it by now. An extension of a softphone may be shown: it is no number of the network.
 */
export const mayBePresented = (child: DialChild, from: string, { from: wanted, instead }: Placing): boolean =>
  !isNumberOfNetwork(child) ||
  !isE164(from) ||
  [wanted, instead].some(owned => owned?.number === from && owned.isActive)

const isNumberOfNetwork = (child: DialChild): boolean =>
  child.kind === 'number' && childAddress(child).user === undefined

function callerOf({ number, call, endUser }: Presenter): BranchOptions['from'] {
  if (endUser !== undefined) return { user: endUser.extensionNumber, displayName: endUser.displayName }
  return { user: call.direction === 'inbound' ? call.fromNumber : number, displayName: '' }
}
