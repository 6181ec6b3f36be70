import type { Hash } from '../../digest/algorithm.ts'
import type { HeaderField } from '../../message/message.ts'
import type { PhoneDirectory } from '../../registrar/phone.ts'
import type { RegistrarRules } from '../../registrar/registrar.ts'
import type { TimerSettings } from '../../transaction/timer-settings.ts'
import type { InviteGate } from './invite-gate.ts'

/** How much an endpoint takes on. Everything that the network can make grow stands here. */
export interface EndpointLimits {
  /** Calls at once, both directions; more get 503. Default 20,000. */
  readonly calls: number
  /** Server transactions at once; a request beyond is answered 503 without state. Default 400,000. */
  readonly serverTransactions: number
  /** The same within one dialog, BYE apart: a peer that sends without end uses up its own. Default 256. */
  readonly dialogTransactions: number
  /** Client transactions at once; beyond, no call is dialled and no provisional response acknowledged. Default 400,000. */
  readonly clientTransactions: number
  /** Reliable provisional responses that are acknowledged in one call; more are dropped. Default 50. */
  readonly reliableProvisionals: number
  /** PRACKs without an answer in one early dialog; until one has it, further responses are dropped. Default 4. */
  readonly openPracks: number
  /** Next hops being looked up at once. Default 1,000. */
  readonly lookups: number
  /** Forks of one INVITE that we keep apart. Default 16. */
  readonly forks: number
}

export const defaultLimits: EndpointLimits = Object.freeze({
  calls: 20_000,
  serverTransactions: 400_000,
  dialogTransactions: 256,
  clientTransactions: 400_000,
  reliableProvisionals: 50,
  openPracks: 4,
  lookups: 1_000,
  forks: 16,
})

export interface EndpointSettings {
  readonly timers: TimerSettings
  readonly limits: EndpointLimits
  /** SIP domain: host of our own URIs and the digest realm. */
  readonly realm: string
  readonly userAgent: string
  /** `length` random bytes. */
  readonly random: (length: number) => Uint8Array
  readonly hash: Hash
  /** A new id for a call that comes in. */
  readonly newId: () => string
  /** The wall clock, Unix ms, for the Date that softphones are answered with. Default: none is sent. */
  readonly unixNow?: () => number
  /** Softphones that may sign in. Default: none. */
  readonly phones?: PhoneDirectory
  /** Default: `defaultRegistrarRules`. */
  readonly registrar?: RegistrarRules
  /** Decides by load whether a new call is taken. Default: every one is. */
  readonly gate?: InviteGate
}

/** Methods that we accept; Allow lists them. */
export const allowedMethods = ['INVITE', 'ACK', 'CANCEL', 'BYE', 'OPTIONS', 'INFO', 'UPDATE', 'PRACK', 'NOTIFY']
export const allow = allowedMethods.join(', ')

export const supported = 'timer, 100rel'
/** What we can do, as nearly every message of ours says it. */
export const allowField: HeaderField = { name: 'Allow', value: allow }
export const supportedField: HeaderField = { name: 'Supported', value: supported }
/** As a caller we do not ask for reliable provisionals; a remote that requires them gets them. */
export const supportedByCaller = 'timer'
export const supportedExtensions: ReadonlySet<string> = new Set(['timer', '100rel', 'outbound'])
export const acceptedBody = 'application/sdp'
export const acceptField: HeaderField = { name: 'Accept', value: acceptedBody }

/** `sid` of the call, in every INVITE to a softphone and every answer to one. */
export const callSidHeader = 'X-Voice-Call-Sid'

/** Header that carries our reason code. */
export const reasonCodeHeader = 'X-Voice-Reason-Code'
