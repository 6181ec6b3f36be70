import { Type } from '@sinclair/typebox'
import { choice, timestamp } from './field.ts'

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
    slug: Type.String({ pattern: slugPattern, description: 'Its name in `<Play asset>`.', examples: ['welcome'] }),
    media_format: choice(['wav', 'mp3', 'ogg'], 'Audio format.'),
    duration_seconds: Type.Number({ description: 'Length of the audio.', examples: [3.2] }),
    size_bytes: Type.Integer({ description: 'Size of the file.', examples: [51_244] }),
    created_at: timestamp(''),
  },
  { $id: 'Asset' },
)
