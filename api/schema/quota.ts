import { Type } from '@sinclair/typebox'
import { nullable } from './field.ts'

const given = (what: string, setting: string, maximum = 1_000_000) =>
  Type.Optional(
    nullable(Type.Integer({ minimum: 0, maximum }), {
      description: `${what}; null is what the setting \`${setting}\` says, and so is the default.`,
    }),
  )
const mostBytes = 1_000_000_000_000_000

/** Quotas as the operator sets them. */
export const quotaLimits = {
  max_asset_bytes: given('Stored bytes of assets', 'quotas.asset_mb', mostBytes),
  max_recording_bytes: given('Stored bytes of recordings', 'quotas.recording_mb', mostBytes),
  max_documents: given('Hosted documents', 'quotas.documents'),
  max_end_users: given('End-users', 'quotas.end_users'),
  max_live_tokens: given('Phone tokens that are valid at once', 'quotas.live_tokens'),
  max_stream_connections: given('Event streams that are open at once', 'quotas.stream_connections'),
}

/** Quotas in force. */
export const quotasInForce = {
  max_asset_bytes: Type.Integer({ description: 'Stored bytes of assets that it may have.' }),
  max_recording_bytes: Type.Integer({ description: 'Stored bytes of recordings that it may have.' }),
  max_documents: Type.Integer({ description: 'Hosted documents that it may have.' }),
  max_end_users: Type.Integer({ description: 'End-users that it may have.' }),
  max_live_tokens: Type.Integer({ description: 'Phone tokens that it may have valid at once.' }),
  max_stream_connections: Type.Integer({ description: 'Event streams that it may have open at once.' }),
}

export const QuotaUsage = Type.Object(
  {
    asset_bytes: Type.Integer({ description: 'Stored bytes of assets.' }),
    recording_bytes: Type.Integer({
      description: 'Stored bytes of recordings; deleted ones count until their file is gone.',
    }),
    documents: Type.Integer({ description: 'Hosted documents.' }),
    end_users: Type.Integer({ description: 'End-users.' }),
    live_tokens: Type.Integer({ description: 'Phone tokens that are valid now.' }),
    stream_connections: Type.Integer({ description: 'Event streams that are open now.' }),
  },
  { description: 'What it has of each quota.' },
)
