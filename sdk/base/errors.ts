export type PhoneErrorCode =
  | 'insecure-context'
  | 'unsupported-browser'
  | 'token.invalid'
  | 'token.expired'
  | 'not-signed-in'
  | 'sign-in.failed'
  | 'sign-in.replaced'
  | 'destination.invalid'
  | 'custom-payload.invalid'
  | 'option.invalid'
  | 'microphone'
  | 'device'
  | 'call.state'
  | 'call.hold-refused'

/** What the phone throws and rejects with: a code to act on, a sentence to read. */
export class PhoneError extends Error {
  override readonly name = 'PhoneError'
  readonly code: PhoneErrorCode
  /** SIP status, where the switch refused. */
  readonly status: number | undefined

  constructor(code: PhoneErrorCode, message: string, options: { status?: number | undefined; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.status = options.status
  }
}
