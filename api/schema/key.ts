import { Type } from '@sinclair/typebox'
import { line, nullable, timestamp } from './field.ts'

const keyFields = {
  uuid: Type.String(),
  name: Type.String(),
  prefix: Type.String({ description: 'First characters of the key.' }),
  is_active: Type.Boolean(),
  created_at: timestamp('When it was made.'),
  last_used_at: nullable(timestamp('When it was last used.')),
}

export const ApiKey = Type.Object(keyFields, { $id: 'ApiKey' })
export const CreatedApiKey = Type.Object(
  { ...keyFields, key: Type.String({ description: 'The secret, shown only here.', examples: ['vk_8fJ2kQ_…'] }) },
  { $id: 'CreatedApiKey' },
)
export const NewApiKey = Type.Object({ name: line("Owner's label.", 100) })
