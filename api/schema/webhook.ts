import { type TSchema, Type } from '@sinclair/typebox'
import { choice, nullable, urlOrBlank } from './field.ts'

export const purposes = ['voice_inbound', 'voice_outbound', 'status'] as const
export const purpose = (description: string) => choice(purposes, description)

export const byPurpose = <T extends TSchema>(schema: T, description: string) =>
  Type.Object({ voice_inbound: schema, voice_outbound: schema, status: schema }, { description })

export const WebhookConfig = Type.Object(
  {
    endpoints: byPurpose(Type.String(), 'Account-default URL per purpose; empty means none.'),
    fallback_mode: choice(['message', 'play', 'drop'], 'What happens when a call-control request fails.'),
    fallback_value: Type.String({ description: 'Text for `message`, audio URL for `play`.' }),
    numbers: Type.Array(
      Type.Object({ number: Type.String(), purpose: purpose('What it overrides.'), url: Type.String() }),
      { description: 'Overrides of single numbers.' },
    ),
  },
  { $id: 'WebhookConfig' },
)

export const WebhookChange = Type.Object({
  purpose: Type.Optional(choice(purposes, 'The purpose that `url` applies to. Default `voice_inbound`.')),
  url: Type.Optional(
    nullable(urlOrBlank('Default webhook of the purpose; of `status` no hosted document. Blank clears it.')),
  ),
  fallback_mode: Type.Optional(
    Type.Unsafe<'message' | 'play' | 'drop' | null>({
      type: ['string', 'null'],
      enum: ['message', 'play', 'drop', null],
      description: 'Omitted leaves the fallback unchanged.',
      'x-problem': 'must be one of message, play, drop',
    }),
  ),
  fallback_value: Type.Optional(
    Type.String({ maxLength: 4096, description: 'Text for `message`, audio URL for `play`.' }),
  ),
})

export const EndpointChange = Type.Object({
  url: urlOrBlank('Account-default webhook of the purpose; of `status` no hosted document. Blank clears it.'),
  purpose: Type.Optional(choice(purposes, 'Default `voice_inbound`.')),
})

export const SigningSecret = Type.Object(
  { signing_secret: Type.String({ description: 'Key of the HMAC-SHA256 of every webhook.' }) },
  { $id: 'SigningSecret' },
)
