/** Why an embedded switch refused what it was asked. */
export type SwitchErrorCode =
  /** An option is wrong; the message names every one that is. */
  | 'config.invalid'
  /** An amount of money is no decimal of KES. */
  | 'money.invalid'
  /** A number is not E.164. */
  | 'number.invalid'
  /** A prefix of the rate deck is wrong. */
  | 'rate.invalid'
  /** A prefix of the lists of destinations is wrong, or is in both. */
  | 'destination.invalid'
  /** The end-user may not sign in. */
  | 'inactive'
  /** There is no such account, number, trunk, end-user, token or recording. */
  | 'not-found'
  /** The number, or a name that must be unique, exists already. */
  | 'exists'
  /** The number belongs to an account, so that it cannot be removed or given to another. */
  | 'owned'
  | 'insufficient-funds'
  /** A call was refused; `code` of the API is in front of the message, as `BILL.0402` or `LIMIT.0429`. */
  | 'call.refused'
  /** The reader of events was too slow, and the switch keeps no more for it. */
  | 'events.overrun'

/** `code` is for programs, the message for people. */
export class SwitchError extends Error {
  readonly code: SwitchErrorCode

  constructor(code: SwitchErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SwitchError'
    this.code = code
  }
}
