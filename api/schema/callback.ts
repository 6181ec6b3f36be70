import { Type } from '@sinclair/typebox'
import { endReasons, eventCatalogue } from '../../core/index.ts'
import { choice, numberOut, openObject, sidOut, timestamp, uuidOut } from './field.ts'

const eventCodes = Object.keys(eventCatalogue) as (keyof typeof eventCatalogue)[]
const eventNames = Object.values(eventCatalogue).map(({ event }) => event)
const callbackCodes = eventCodes.filter(code => eventCatalogue[code].callback)
const callbackNames = Object.values(eventCatalogue).flatMap(({ event, callback }) => (callback ? [event] : []))

/** What an event says, wherever it goes. */
const envelope = (codes: readonly string[], names: readonly string[]) => ({
  code: choice(codes, 'Stable: what programs switch on.'),
  event: choice(names, 'The same, readable.'),
  sid: Type.String({
    description: 'The call that it is about; empty when it is about none.',
    examples: ['CA01JZXQ7R5T8K2M4N'],
  }),
  customPayload: Type.Optional(openObject('What was attached to the call; only when something was.')),
  createdAt: timestamp('When it happened.'),
  data: openObject('Fields of the code, as the reference of events lists them.', {
    sid: 'CA01JZXQ7R5T8K2M4N',
    status: 'answered',
  }),
})

/** What one message of the stream holds. */
export const StreamEnvelope = Type.Object(
  {
    seq: Type.Integer({
      description: "Place in the account's events: 1, 2, 3 …; what `after` takes.",
      examples: [42],
    }),
    ...envelope(eventCodes, eventNames),
  },
  { $id: 'StreamEnvelope' },
)

/** The body of a status callback. */
export const StatusCallback = Type.Object(
  {
    id: uuidOut('Identical across retries: use it to leave out what came twice.'),
    accountId: uuidOut('Whose event it is.'),
    ...envelope(callbackCodes, callbackNames),
  },
  { $id: 'StatusCallback' },
)

/** What every call-control request and action callback carries. */
const callFields = {
  CallSid: sidOut('The call; `sid` of events and records.'),
  AccountSid: uuidOut('The account.'),
  Direction: choice(['inbound', 'outbound'], 'Inbound to a number, or placed by API or by an end-user.'),
  From: numberOut("The caller's number, or the caller ID that is presented."),
  To: numberOut('The dialled number, or the destination.', '+254700000102'),
  CallStatus: choice(['ringing', 'in-progress', 'completed'], 'As it is when the request is made.'),
  customPayload: Type.Optional(
    Type.String({
      description: 'What was attached to the call: the string as it came, or the object as compact JSON.',
      examples: ['{"order":7}'],
    }),
  ),
  endUser: Type.Optional(
    Type.Object(
      {
        uuid: uuidOut(),
        email: Type.String({ examples: ['amina@example.com'] }),
        display_name: Type.String({ examples: ['Amina'] }),
        extension_number: Type.String({ examples: ['1001'] }),
      },
      { description: 'Only when a softphone placed the call: who did.' },
    ),
  ),
}

const digits = (description: string) => Type.String({ description, examples: ['1'] })

export const CallControlRequest = Type.Object(callFields, { $id: 'CallControlRequest' })

export const DialActionRequest = Type.Object(
  {
    ...callFields,
    DialCallStatus: choice(['completed', 'busy', 'no-answer', 'failed'], 'How the Dial ended.'),
    DialCallDuration: Type.Integer({ description: 'Seconds that the dialled leg was connected; 0 unless answered.' }),
    DialReasonCode: choice(Object.keys(endReasons), 'Why the leg ended.'),
    DialCallSid: Type.String({
      description: 'The leg, as in the DIAL events; empty when none was placed.',
      examples: ['CA01JZXQ7R5T8K2M4P'],
    }),
  },
  { $id: 'DialActionRequest' },
)

export const RecordActionRequest = Type.Object(
  {
    ...callFields,
    RecordingDuration: Type.Integer({ description: 'Seconds; 0 when nothing was recorded.', examples: [12] }),
    RecordingPath: Type.String({
      description: 'Storage reference; the Recording itself appears moments later.',
      examples: ['2026/07/CA01JZXQ7R5T8K2M4N-0197d2f4.wav'],
    }),
    RecordingUuid: Type.String({
      description: 'The Recording; empty when there is none.',
      examples: ['0197d2f4-6c1e-7a52-9d1b-3f6c0a8e5b21'],
    }),
    Digits: digits('The key that ended it, `hangup`, or empty.'),
  },
  { $id: 'RecordActionRequest' },
)

export const GatherActionRequest = Type.Object(
  { ...callFields, Digits: digits('What was typed, without the key that ended it.') },
  { $id: 'GatherActionRequest' },
)
