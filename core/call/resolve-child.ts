import type { LegTarget } from '../ports/signaling.ts'
import { e164Candidates, isExtension } from '../routing/e164.ts'
import { routesTo } from '../routing/routes.ts'
import type { DialChild } from '../verbs/program.ts'
import type { BranchOptions, Route } from './branch-options.ts'
import type { EndReason } from './end-reason.ts'
import type { CallEnvironment } from './environment.ts'
import type { Found } from './exchange-event.ts'

/** What a child of Dial reaches, or why nothing. */
export type Resolved =
  | { readonly ok: true; readonly routes: readonly Route[]; readonly rate: BranchOptions['rate'] }
  | { readonly ok: false; readonly reason: EndReason }

type Placing = Extract<Found, { kind: 'placing' }>

/** The child as events name it, and the E.164 number that is looked up; undefined: it is no such number. */
export function childAddress(child: DialChild): {
  readonly kind: BranchOptions['kind']
  readonly to: string
  readonly e164: string | undefined
} {
  switch (child.kind) {
    case 'number': {
      const e164 = isExtension(child.number) ? undefined : e164Candidates(child.number)[0]
      return { kind: 'number', to: e164 ?? child.number, e164 }
    }
    case 'client':
      return { kind: 'client', to: child.client, e164: undefined }
    case 'sip':
      return { kind: 'sip', to: child.uri, e164: undefined }
  }
}

/** How a number of the telephone network is reached: on this switch, else by the trunks that fit it. */
export function routesToNumber(e164: string, found: Placing, env: CallEnvironment): readonly Route[] {
  if (found.owner !== undefined) return [{ kind: 'on-net' }]
  return routesTo(e164, env.trunks(), () => env.random()).map(trunk => ({ kind: 'trunk', trunk }))
}

/**
 * A number without a rate is a destination that is not offered (END.4433). Softphones register with nothing yet:
 * extensions and clients are not registered (END.1480).
 */
export function resolveChild(child: DialChild, found: Placing, env: CallEnvironment): Resolved {
  if (found.account?.status === 'suspended') return { ok: false, reason: 'END.4403' }
  const { e164 } = childAddress(child)
  switch (child.kind) {
    case 'client':
      return { ok: false, reason: 'END.1480' }
    case 'sip': {
      const { uri, username, password } = child
      const target: Extract<LegTarget, { kind: 'uri' }> = {
        kind: 'uri',
        uri,
        ...(username === undefined ? {} : { username }),
        ...(password === undefined ? {} : { password }),
      }
      return { ok: true, routes: [{ kind: 'uri', target }], rate: undefined }
    }
    case 'number': {
      if (e164 === undefined) return { ok: false, reason: isExtension(child.number) ? 'END.1480' : 'END.0484' }
      if (!env.destinations().allows(e164)) return { ok: false, reason: 'END.4433' }
      const rate = env.deck().find('outbound', e164)
      if (rate === undefined) return { ok: false, reason: 'END.4433' }
      return { ok: true, routes: routesToNumber(e164, found, env), rate }
    }
  }
}

/** Which number the dialled side sees: `callerId` when the account owns it, else the call's own number. */
export const presentedTo = (child: DialChild, wanted: string | undefined, own: string, found: Placing): string =>
  child.kind !== 'sip' && wanted !== undefined && found.from?.isActive !== true ? own : (wanted ?? own)
