import { Type } from '@sinclair/typebox'
import { choice, decimal, moneyOut, prefix, ratePrefix } from './field.ts'

const direction = choice(['outbound', 'inbound'], 'Which way the leg goes.')
const seconds = (minimum: number, description: string) => Type.Integer({ minimum, maximum: 86_400, description })

export const Rate = Type.Object(
  {
    prefix: Type.String({ description: 'As in the deck.', examples: ['+254'] }),
    direction,
    rate_per_minute: moneyOut(''),
    increment_seconds: Type.Integer({ description: 'Talk time is billed in whole increments.', examples: [60] }),
    minimum_seconds: Type.Integer({ description: 'Least that is billed.', examples: [0] }),
    connection_fee: moneyOut(''),
  },
  { $id: 'Rate' },
)

export const RateDeck = Type.Object({
  rates: Type.Array(
    Type.Object({
      prefix: ratePrefix,
      direction,
      rate_per_minute: decimal('KES a minute.'),
      increment_seconds: Type.Optional(seconds(1, 'Talk time is billed in whole increments. Default 60.')),
      minimum_seconds: Type.Optional(seconds(0, 'Least that is billed. Default 0.')),
      connection_fee: Type.Optional(decimal('Charged once, on answer. Default "0".')),
    }),
    { maxItems: 50_000, description: 'The whole deck.' },
  ),
})

export const Destinations = Type.Object(
  {
    blocked: Type.Array(prefix, { maxItems: 50_000, description: 'May not be called.' }),
    allowed: Type.Array(prefix, { maxItems: 50_000, description: 'May be called; the longest match decides.' }),
  },
  { description: 'Where calls may go.' },
)
