import { Type } from '@sinclair/typebox'
import { timestamp } from './field.ts'

export const slugPattern = '^[a-z0-9-]{1,64}$'

export const Slug = Type.Object({
  slug: Type.String({
    pattern: slugPattern,
    description: 'Its name in `<Play asset>`.',
    'x-problem': 'must be 1 to 64 of a-z, 0-9 and -',
  }),
})

export const Asset = Type.Object(
  {
    slug: Type.String(),
    media_format: Type.String({ examples: ['wav'] }),
    duration_seconds: Type.Number(),
    size_bytes: Type.Integer(),
    created_at: timestamp(''),
  },
  { $id: 'Asset' },
)
