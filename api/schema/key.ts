import { Type } from '@sinclair/typebox'
import { line, nullable, timestamp, uuidOut } from './field.ts'

const keyFields = {
  uuid: uuidOut('What revoke takes.'),
  name: Type.String({ description: "Owner's label.", examples: ['backend'] }),
  prefix: Type.String({ description: 'First characters of the key.', examples: ['vk_8fJ2kQ'] }),
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
