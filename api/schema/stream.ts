import { Type } from '@sinclair/typebox'

export const StreamToken = Type.Object(
  {
    token: Type.String({ description: 'For the `token` parameter of `/stream`, and nothing else.' }),
    ttl_seconds: Type.Integer({ description: 'Seconds in which the stream must be opened; it may stay open longer.' }),
  },
  { $id: 'StreamToken' },
)

/** What one message of the stream holds. */
export const StreamEnvelope = Type.Object(
  {
    seq: Type.Integer({ description: "Place in the account's events: 1, 2, 3 …; what `after` takes." }),
    code: Type.String({ examples: ['CALL.0200'] }),
    event: Type.String({ examples: ['call.answered'] }),
    sid: Type.String({ description: 'The call that it is about; empty when it is about none.' }),
    customPayload: Type.Optional(Type.Unsafe({ type: 'object', additionalProperties: true })),
    createdAt: Type.String({ format: 'date-time' }),
    data: Type.Unsafe({ type: 'object', additionalProperties: true, description: 'Fields of the code.' }),
  },
  { $id: 'StreamEnvelope' },
)
