import { Type } from '@sinclair/typebox'
import {
  choice,
  decimal,
  e164,
  identifier,
  moneyOut,
  nullable,
  numberOut,
  optionalLine,
  timestamp,
  urlOrBlank,
  uuidOut,
} from './field.ts'
import { byPurpose } from './webhook.ts'

export const OwnedNumber = Type.Object(
  {
    uuid: uuidOut(),
    number: numberOut('The DID in E.164.'),
    friendly_name: Type.String({ description: "Owner's label.", examples: ['Sales'] }),
    webhook_urls: byPurpose(Type.String(), 'Overrides; empty means that the account default is used.'),
    webhook_inbound: Type.Object(
      { url: Type.String(), source: choice(['custom', 'default', 'none'], 'Where the URL comes from.') },
      { description: 'Resolved inbound route.' },
    ),
    is_active: Type.Boolean(),
    acquired_at: nullable(timestamp('When the account acquired it.')),
  },
  { $id: 'Number' },
)

export const PoolNumber = Type.Object(
  {
    uuid: uuidOut('What acquire takes.'),
    number: numberOut('E.164.'),
    setup_fee: Type.Optional(moneyOut('Charged once, by acquire. Only with `fees=true`.')),
  },
  { $id: 'PoolNumber' },
)

export const PoolQuery = Type.Object({
  fees: Type.Optional(choice(['true', 'false'], '`true`: with the setup fee of each.')),
})

const override = Type.Optional(nullable(urlOrBlank('Override; empty inherits the account default.')))

export const NumberChange = Type.Object({
  uuid: identifier("The number's uuid."),
  webhook_urls: Type.Optional(
    nullable(Type.Object({ voice_inbound: override, voice_outbound: override, status: override }), {
      description: 'A key that is left out is left alone.',
    }),
  ),
  friendly_name: Type.Optional(nullable(optionalLine("Owner's label."))),
})

/** A number of the switch as the operator sees it. */
export const OperatorNumber = Type.Object(
  {
    uuid: uuidOut(),
    number: numberOut('E.164.'),
    setup_fee: moneyOut('Charged once, when an account acquires it.'),
    account: nullable(uuidOut('The owner.'), { description: 'uuid of the owner; null in the pool.' }),
    account_name: Type.Optional(
      nullable(Type.String({ examples: ['Acme'] }), { description: 'Its name; only with `names=true`.' }),
    ),
  },
  { $id: 'OperatorNumber' },
)

export const NewNumber = Type.Object({
  number: Type.String({
    pattern: `^${e164}$`,
    description: 'E.164.',
    examples: ['+254711000001'],
    'x-problem': 'must be E.164: + and 7 to 15 digits',
  }),
  setup_fee: Type.Optional(decimal('Default "0".')),
})
