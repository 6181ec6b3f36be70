import { Type } from '@sinclair/typebox'
import { endReasons, problemsByEvent } from '../../core/index.ts'
import {
  choice,
  e164,
  moneyOut,
  nullable,
  numberOut,
  openObject,
  paging,
  sidOut,
  timestamp,
  url,
  uuidOut,
} from './field.ts'
import { CallQuality } from './quality.ts'

const reasonCodes = ['END.0200', '', ...Object.keys(endReasons).filter(code => code !== 'END.0200')]

export const directions = ['inbound', 'outbound', 'internal'] as const
export const statuses = ['initiated', 'ringing', 'answered', 'completed', 'failed'] as const

export const Call = Type.Object(
  {
    uuid: uuidOut(),
    sid: sidOut(),
    direction: choice(directions, 'Seen from this switch.'),
    from_number: numberOut('Who calls.'),
    to_number: numberOut('Who is called.', '+254700000102'),
    status: choice(statuses, 'Nothing leaves `completed` or `failed`.'),
    reason_code: choice(reasonCodes, 'Why it ended, `END.<digits>`; empty while it lives.'),
    reason_label: Type.String({ description: 'The same, readable.', examples: ['Completed'] }),
    problem_code: choice(
      ['', ...new Set(Object.values(problemsByEvent))],
      'The first thing that was not done while the call went on, known once it has ended: a document that failed (`END.3…`), audio, speech or a recording that did (the event that reported it). Empty where there was none, and where `reason_code` names it.',
    ),
    duration_seconds: nullable(Type.Integer(), { description: 'Whole length.' }),
    talk_seconds: nullable(Type.Integer(), { description: 'Connected, billed time.' }),
    cost: moneyOut('Charge in KES, dialled legs included.'),
    tts_seconds: Type.Integer({ description: 'Seconds of speech synthesised.' }),
    customPayload: nullable(openObject('What was attached at originate.')),
    quality: nullable(Type.Array(CallQuality), {
      description:
        'Media quality of each leg, once the call has ended; null before, and after a restart of the switch.',
    }),
    started_at: nullable(timestamp('')),
    answered_at: nullable(timestamp('')),
    ended_at: nullable(timestamp('')),
    created_at: timestamp(''),
  },
  { $id: 'Call' },
)

export const CallFilter = Type.Object({
  direction: Type.Optional(choice(directions, 'Only this direction.')),
  status: Type.Optional(choice([...statuses, 'live'], 'Only this status; `live`: those that have not ended.')),
  search: Type.Optional(
    Type.String({ maxLength: 100, description: 'Any part of either number, digits only; or a whole sid.' }),
  ),
  reason: Type.Optional(choice(Object.keys(endReasons), 'Only calls that ended for this reason.')),
  from_dt: Type.Optional(Type.String({ maxLength: 64, description: 'ISO-8601, created at or after.' })),
  to_dt: Type.Optional(Type.String({ maxLength: 64, description: 'ISO-8601, created at or before.' })),
  ...paging,
})

export const Originate = Type.Object({
  to: Type.String({
    pattern: `^${e164}$|^\\d{1,10}$`,
    description: 'Destination in E.164, or an extension of the account.',
    examples: ['+254700000102'],
    'x-problem': 'must be E.164 (+ and 7 to 15 digits) or an extension',
  }),
  from: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'A DID that the account owns.',
    examples: ['+254700000101'],
  }),
  url: url('Webhook that returns the verb document of the answered call.'),
  timeout: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 300, description: 'Seconds to wait for an answer. Default 30.' }),
  ),
  customPayload: Type.Optional(
    Type.Unsafe<Record<string, unknown> | string | null>({
      type: ['object', 'string', 'null'],
      additionalProperties: true,
      examples: [{ order: 7 }],
      description:
        'Echoed on events, webhooks and the record; at most 8 KB and 64 levels of objects and lists. A number beyond ±9007199254740991 is 422, as readers of JSON round it: send it as text.',
    }),
  ),
})

export const sid = Type.String({
  minLength: 1,
  maxLength: 64,
  description: "The call's sid.",
  examples: ['CA01JZXQ7R5T8K2M4N'],
})
export const BySid = Type.Object({ sid })
