import { Type } from '@sinclair/typebox'
import { OperatorAccount } from './account.ts'
import { choice, moneyOut, nullable, optionalLine, resource, signedDecimal, timestamp } from './field.ts'
import { LegFigures } from './quality.ts'

export const CreatedAccount = Type.Object({
  account: resource(OperatorAccount),
  key: Type.String({ description: "The account's first API key, shown only here." }),
})

export const Credit = Type.Object({
  amount: signedDecimal('What is added; negative debits.'),
  reference: Type.Optional(optionalLine('The same reference again changes nothing.')),
})

export const LedgerLine = Type.Object(
  {
    id: Type.Integer(),
    kind: choice(['call', 'number', 'credit', 'speech'], 'What it was for.'),
    amount: moneyOut('What it did to the balance.'),
    reference: nullable(Type.String(), { description: "The credit's reference." }),
    call_uuid: nullable(Type.String()),
    details: Type.Unsafe<Readonly<Record<string, unknown>>>({
      type: 'object',
      additionalProperties: true,
      description: 'What explains the amount: rate, seconds, number.',
    }),
    created_at: timestamp('When it was posted.'),
  },
  { $id: 'LedgerEntry' },
)

const MediaSource = Type.Object({
  address: Type.String({ description: 'Address and port, to which ours goes as well; empty = nowhere for now.' }),
  state: choice(
    ['closed', 'waiting', 'confirmed', 'learned', 'resumed'],
    '`confirmed`: the address in SDP. `learned`, `resumed`: another, by symmetric RTP. `waiting`: nothing has come. `closed`: no SDP yet.',
  ),
  changes: Type.Integer({ description: 'How often it moved without an offer or answer.' }),
  refused_packets: Type.Integer({ description: 'Packets from sources that are not believed, RTCP included.' }),
  withheld_packets: Type.Integer({ description: 'Packets that were not sent to an address that never answered.' }),
})

export const LiveCall = Type.Object(
  {
    uuid: Type.String(),
    sid: Type.String(),
    account: Type.String({ description: 'uuid of the account.' }),
    direction: Type.String(),
    from_number: Type.String(),
    to_number: Type.String(),
    status: Type.String(),
    created_at: timestamp('When it came in or was placed.'),
    answered_at: nullable(timestamp('When it was answered.')),
    legs: Type.Array(
      Type.Object({
        uuid: Type.String(),
        role: choice(['caller', 'callee'], 'Who began it.'),
        direction: choice(['inbound', 'outbound', 'on-net'], 'Seen from this switch.'),
        number: Type.String(),
        trunk: Type.String({ description: 'Name of the trunk; empty on-net.' }),
        started_at: timestamp('When it began.'),
        answered_at: nullable(timestamp('When it was answered.')),
        codec: nullable(Type.String()),
        conference: nullable(Type.String({ description: 'Name of the room that it is in.' })),
        quality: nullable(LegFigures, { description: 'As of at most five seconds ago; null before that.' }),
        media_source: nullable(MediaSource, { description: 'Where its media comes from, as of the same time.' }),
      }),
    ),
  },
  { $id: 'LiveCall' },
)

export const Drain = Type.Object({
  seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400, description: 'How long live calls may go on.' })),
})
export const DrainState = Type.Object({ draining: Type.Boolean(), live_calls: Type.Integer() }, { $id: 'DrainState' })
