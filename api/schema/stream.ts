import { Type } from '@sinclair/typebox'

export const StreamToken = Type.Object(
  {
    token: Type.String({ description: 'For the `token` parameter of `/stream`, and nothing else.' }),
    ttl_seconds: Type.Integer({ description: 'Seconds in which the stream must be opened; it may stay open longer.' }),
  },
  { $id: 'StreamToken' },
)
