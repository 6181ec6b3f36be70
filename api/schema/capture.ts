import { Type } from '@sinclair/typebox'
import { identifier, nullable, timestamp, uuidOut } from './field.ts'

export const CaptureOrder = Type.Object({
  call: Type.Optional(identifier('A live call, by uuid or sid.')),
  account: Type.Optional(identifier('All calls of this account.')),
  seconds: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 3600, description: 'How long audio is captured. Default 300.' }),
  ),
})

export const Capture = Type.Object(
  {
    uuid: uuidOut('The capture.'),
    call: nullable(uuidOut('The call.'), { description: 'The call; null: all calls of the account.' }),
    account: uuidOut('Whose calls.'),
    began_at: timestamp('Since when.'),
    ends_at: timestamp('Until when.'),
  },
  { $id: 'Capture' },
)
