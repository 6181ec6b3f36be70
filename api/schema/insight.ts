import { Type } from '@sinclair/typebox'
import { choice, identifier, moneyOut, nullable, openObject, timestamp, urlOut, uuidOut } from './field.ts'

export const CallSummary = Type.Object(
  {
    live_calls: Type.Integer({ description: 'Calls that have not ended.' }),
    slice_seconds: Type.Integer(),
    slices: Type.Array(
      Type.Object({
        at: timestamp('When the slice begins.'),
        calls: Type.Integer(),
        failed: Type.Integer(),
        talk_seconds: Type.Integer(),
        cost: moneyOut('KES.'),
      }),
      { description: 'Without those in which no call began.' },
    ),
    failures: Type.Array(Type.Object({ reason_code: Type.String({ examples: ['END.0486'] }), calls: Type.Integer() }), {
      description: 'Why calls failed, the most frequent first.',
    }),
  },
  { $id: 'CallSummary' },
)

export const SummaryFilter = Type.Object({
  hours: Type.Integer({ minimum: 1, maximum: 744, default: 24, description: 'How far back it goes.' }),
})

export const EventRow = Type.Object(
  {
    seq: Type.Integer({ description: "Place in the account's events." }),
    id: uuidOut('The same as in the status callback.'),
    code: Type.String({ examples: ['CALL.0300'] }),
    event: Type.String({ examples: ['call.completed'] }),
    sid: Type.String({ description: 'The call; empty when it is about none.', examples: ['CA01JZXQ7R5T8K2M4N'] }),
    created_at: timestamp('When it happened.'),
    data: openObject('Fields of the code.'),
  },
  { $id: 'EventRow' },
)

export const EventFilter = Type.Object({
  code: Type.Optional(
    Type.String({
      maxLength: 20,
      pattern: '^[A-Z0-9.]+$',
      description: 'A code, or how codes begin: `WH.`.',
      'x-problem': 'must be a code such as CALL.0300, or its beginning',
    }),
  ),
  problems: Type.Optional(
    choice(['true', 'false'], '`true`: only failures, what was skipped, and what nears its end.'),
  ),
  sid: Type.Optional(identifier("The call's sid.")),
  before: Type.Optional(Type.Integer({ minimum: 1, description: 'Only events with a lower `seq`.' })),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'How many at most.' }),
})

export const Delivery = Type.Object(
  {
    seq: Type.Integer({ description: 'What `before` takes.' }),
    id: uuidOut('The callback: the same across tries.'),
    code: Type.String({ description: 'The event that it reports.', examples: ['CALL.0300'] }),
    sid: Type.String({ examples: ['CA01JZXQ7R5T8K2M4N'] }),
    url: urlOut('Where it went.'),
    outcome: choice(['delivered', 'failed'], 'What came of it.'),
    tries: Type.Integer(),
    status: nullable(Type.Integer(), { description: 'HTTP status of the last answer.' }),
    detail: Type.String({ description: 'Why there was no answer; else empty.' }),
    finished_at: timestamp('When the last try ended.'),
    answer: Type.String({
      description: 'The first 1,024 bytes of the body of the last answer, secrets covered; empty: there was none.',
    }),
    body: nullable(openObject('What was sent.'), { description: 'Null when the event is not kept any more.' }),
  },
  { $id: 'Delivery' },
)

export const DeliveryFilter = Type.Object({
  outcome: Type.Optional(choice(['delivered', 'failed'], 'Only those.')),
  sid: Type.Optional(identifier("The call's sid.")),
  before: Type.Optional(Type.Integer({ minimum: 1, description: 'Only older ones.' })),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50, description: 'How many at most.' }),
})

export const Registration = Type.Object(
  {
    end_user: uuidOut("The end-user's uuid."),
    address: Type.String({ description: 'Where the phone is.', examples: ['203.0.113.7'] }),
    transport: Type.String({ examples: ['wss'] }),
  },
  { $id: 'Registration' },
)

export const ByCallback = Type.Object({ id: identifier('The `id` of the callback.') })
