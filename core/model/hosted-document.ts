import type { AccountUuid } from './ids.ts'

/** A verb document that the service hosts. */
export interface HostedDocumentRecord {
  readonly uuid: string
  readonly accountUuid: AccountUuid
  readonly name: string
  /** The webhook URL: unguessable, resolved without HTTP when the switch itself needs it. */
  readonly url: string
  readonly body: string
  readonly createdUnix: number
  readonly updatedUnix: number
}
