/** Identifiers are branded strings: a call's uuid cannot be passed where a leg's is wanted. */
type Brand<Name extends string> = string & { readonly __brand: Name }

export type AccountUuid = Brand<'account'>
export type CallUuid = Brand<'call'>
/** One party's dialog and its media; every attempt at a trunk is a leg of its own. */
export type LegUuid = Brand<'leg'>
export type HoldUuid = Brand<'hold'>
export type RecordingUuid = Brand<'recording'>
export type TrunkUuid = Brand<'trunk'>
/** `CA` and 16 characters of Crockford base32, time-ordered. */
export type Sid = Brand<'sid'>
