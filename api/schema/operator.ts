import { Type } from '@sinclair/typebox'
import { OperatorAccount } from './account.ts'
import { directions, statuses } from './call.ts'
import {
  choice,
  moneyOut,
  nullable,
  numberOut,
  openObject,
  optionalLine,
  resource,
  sidOut,
  signedDecimal,
  timestamp,
  uuidOut,
} from './field.ts'
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
    call_uuid: nullable(uuidOut('The call that it was for.')),
    details: openObject('What explains the amount: rate, seconds, number.', { talkSeconds: 61 }),
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
  refused_packets: Type.Integer({ description: 'Packets from sources that are not accepted, RTCP included.' }),
  withheld_packets: Type.Integer({ description: 'Packets that were not sent to an address that never answered.' }),
})

export const LiveCall = Type.Object(
  {
    uuid: uuidOut(),
    sid: sidOut(),
    account: uuidOut('The account.'),
    direction: choice(directions, 'Seen from this switch.'),
    from_number: numberOut('Who calls.'),
    to_number: numberOut('Who is called.', '+254700000102'),
    status: choice(statuses, 'Status of the call now.'),
    created_at: timestamp('When it came in or was placed.'),
    answered_at: nullable(timestamp('When it was answered.')),
    legs: Type.Array(
      Type.Object({
        uuid: uuidOut('The leg.'),
        role: choice(['caller', 'callee'], 'Who began it.'),
        direction: choice(['inbound', 'outbound', 'on-net'], 'Seen from this switch.'),
        number: numberOut('Who is there.'),
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
