import { Type } from '@sinclair/typebox'
import { identifier, nullable, optionalLine, timestamp, uuidOut } from './field.ts'

const maxEmailLength = 254

export const EndUser = Type.Object(
  {
    uuid: uuidOut(),
    extension_number: Type.String({ description: 'Digits; unique on the whole switch.', examples: ['1001'] }),
    email: Type.String({ description: 'Unique within the account.', examples: ['amina@example.com'] }),
    display_name: Type.String({ description: 'Shown on the softphone.', examples: ['Amina'] }),
    is_active: Type.Boolean(),
    is_registered: Type.Boolean({ description: 'A softphone is registered now.' }),
    created_at: timestamp('When it was made.'),
  },
  { $id: 'EndUser' },
)

export const NewEndUser = Type.Object({
  email: Type.String({
    maxLength: maxEmailLength,
    pattern: '^[^\\s@,;<>()"\\\\\\u0000-\\u001f\\u007f]+@[^\\s@,;<>()"\\\\\\u0000-\\u001f\\u007f]+$',
    description: 'Unique within the account; upper and lower case are the same.',
    examples: ['amina@example.com'],
    'x-problem': `must be an email address of at most ${maxEmailLength} characters`,
  }),
  display_name: Type.Optional(optionalLine('Shown on the softphone. Default empty.')),
})

export const EndUserChange = Type.Object({
  uuid: identifier("The end-user's uuid."),
  display_name: Type.Optional(nullable(optionalLine('Shown on the softphone.'))),
  is_active: Type.Optional(
    nullable(Type.Boolean(), { description: 'False refuses new calls and revokes every phone token at once.' }),
  ),
})
