import type { ConnectionFault } from '../model/connection-fault.ts'
import type { AccountUuid, CallUuid } from '../model/ids.ts'

/** Why a call-control request gave no document; each has its DOC event and END.3xxx reason. */
export type FetchFault = 'not-found' | 'timeout' | 'too-large' | 'status' | 'transport' | 'refused-address'

/**
 * A signed POST of `body` (JSON) to `url`, whole exchange within 10 s, answer at most 64 KB; or, when `url` is a
 * hosted document of this switch, its text with the placeholders filled in, without HTTP.
 */
export interface DocumentFetch {
  readonly type: 'document.fetch'
  readonly callId: CallUuid
  readonly requestId: string
  readonly accountId: AccountUuid
  readonly url: string
  /** Call-control fields (docs/api.md, CallControlRequest): CallSid, AccountSid, Direction, From, To, CallStatus and extras. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Posted to its end even when the call is gone meanwhile. Default false. */
  readonly ignoreReply?: boolean
}

export type DocumentEvent =
  | {
      readonly type: 'document.fetched'
      readonly callId: CallUuid
      readonly requestId: string
      readonly bytes: Uint8Array
      /** As it is hosted, with no placeholder filled in: every call gets the same. Default false. */
      readonly isConstant?: boolean
    }
  | {
      readonly type: 'document.failed'
      readonly callId: CallUuid
      readonly requestId: string
      readonly fault: FetchFault
      readonly detail: string
      /** Why no HTTP answer came, where it is known; `detail` is what the system says of it. */
      readonly cause?: ConnectionFault
    }

export interface Documents {
  execute(command: DocumentFetch): void
  /** The call is gone: abandons what still runs for it, except callbacks whose reply is ignored anyway. */
  abandon(callId: CallUuid): void
}
