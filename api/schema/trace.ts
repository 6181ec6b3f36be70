import { Type } from '@sinclair/typebox'
import { endReasons, problemExplanations, traceForms, traceKinds } from '../../core/index.ts'
import { directions } from './call.ts'
import { choice, moneyOut, nullable, numberOut, openObject, sidOut, timestamp, uuidOut } from './field.ts'

const letter = (description: string) => Type.String({ description, examples: ['A'] })
const count = (description: string) => Type.Integer({ minimum: 0, description, examples: [0] })
const column = (description: string) => Type.Array(Type.Number(), { description })
const sparse = (description: string) => Type.Array(nullable(Type.Number()), { description })

const TraceEntry = Type.Object({
  seq: count('Rises within the call; `after` of the next page.'),
  at: timestamp('When it happened.'),
  ms: Type.Number({ description: 'Milliseconds since the first entry of the call.', examples: [12.5] }),
  kind: choice(traceKinds, 'What kind of thing happened.'),
  leg: nullable(letter('The leg that it is about.'), { description: 'The leg that it is about; null: the call.' }),
  text: Type.String({ description: 'What happened, readable.', examples: ['200 OK'] }),
  data: openObject('The same for programs; its fields depend on `kind`.', { direction: 'received', status: 200 }),
})

const TraceLeg = Type.Object({
  id: letter('`A` is the first leg of the call.'),
  uuid: uuidOut('The leg.'),
  role: choice(['caller', 'callee'], 'Who began it.'),
  via: choice(['trunk', 'phone', 'uri', 'on-net'], 'What is at its other end.'),
  number: numberOut('Who is there.'),
  trunk: nullable(Type.String(), { description: 'Name of the trunk; null for customers.' }),
})

const TraceRtp = Type.Object({
  leg: letter('The leg.'),
  codec: nullable(Type.String({ examples: ['PCMU'] })),
  ms: column('When each was measured, milliseconds since the first entry of the call.'),
  seconds: column('How many seconds the counts are of: 1, in calls of over an hour more.'),
  packets_received: column('In that time.'),
  packets_sent: column('In that time.'),
  packets_lost: column('In that time.'),
  loss_percent: column('Of the packets that should have come in that time.'),
  jitter_ms: column('Interarrival jitter (RFC 3550).'),
  delay_ms: sparse('From mouth to ear, estimated.'),
  round_trip_ms: sparse('There and back by RTCP.'),
  mos: sparse('Estimated opinion score (E-model).'),
  level_dbov: sparse('Level of what was received: 0 is the overload point, -127 silence.'),
  concealed_ms: sparse('Audio that was concealed in that time.'),
  remote_loss_percent: sparse('What the remote reports of our stream by RTCP.'),
})

const TraceCharge = Type.Object({
  leg: nullable(letter('The leg.')),
  number: numberOut('Who was called, or who called.'),
  prefix: Type.String({ description: 'Of the rate that was taken.', examples: ['+254'] }),
  rate_per_minute: moneyOut('KES a minute.'),
  increment_seconds: count('Talk is billed in whole increments.'),
  minimum_seconds: count('Least that is billed.'),
  connection_fee: moneyOut('Once, when it was answered.'),
  talk_seconds: count('Connected time.'),
  billed_seconds: count('Connected time in whole increments.'),
  charge: moneyOut('KES.'),
  explained: Type.String({ description: 'The sum in words.', examples: ['60 s at 3.00 KES/min = 3.00 KES'] }),
})

const TraceProblem = Type.Object({
  code: choice(
    [...Object.keys(endReasons), ...Object.keys(problemExplanations)],
    'The reason with which a call ends that ends by it; of audio and recordings the event that reported it.',
  ),
  sentence: Type.String({ description: 'What went wrong.', examples: ['+254733000001 is busy.'] }),
  advice: Type.String({ description: 'What to do.', examples: ['Try again later.'] }),
  link: Type.String({ description: 'Path of the page that says more.', examples: ['/docs/reasons#END.0486'] }),
})

const TraceEnd = Type.Object({
  reason_code: choice(Object.keys(endReasons), 'As in the call.'),
  reason_label: Type.String({ examples: ['Busy'] }),
  sentence: Type.String({ description: 'Why it ended, with what this call has shown.', examples: ['It is busy.'] }),
  advice: Type.String({ description: 'What to do; empty where nothing is wrong.', examples: ['Try again later.'] }),
  link: Type.String({ description: 'Path of the page that says more.', examples: ['/docs/reasons#END.0486'] }),
  problems: Type.Array(TraceProblem, {
    description:
      'What had gone wrong before, where the end does not name it: a document whose fallback ran until the caller hung up, audio that could not be played, a recording that failed, a number that was busy before the document went on. The oldest first, at most five.',
  }),
})

export const CallTrace = Type.Object(
  {
    uuid: uuidOut('The call.'),
    sid: sidOut(),
    direction: choice(directions, 'Seen from this switch.'),
    from_number: numberOut('Who calls.'),
    to_number: numberOut('Who is called.', '+254700000102'),
    is_over: Type.Boolean({ description: 'False while the call lives.' }),
    is_complete: Type.Boolean({ description: 'False: some entries are no longer kept, or never were.' }),
    legs: Type.Array(TraceLeg),
    entries: Type.Array(TraceEntry, { description: 'In the order of time.' }),
    rtp: Type.Array(TraceRtp, { description: 'A leg each: columns of one length, a point a second.' }),
    charges: Type.Array(TraceCharge, { description: 'What was settled, leg by leg.' }),
    cost: moneyOut('Sum of the charges.'),
    end: nullable(TraceEnd, { description: 'Why it ended; null while it lives.' }),
    last: count('The highest `seq` of this page; ask with it as `after` to follow a live call.'),
    has_more: Type.Boolean({ description: 'More follows now: ask again with `after`.' }),
  },
  { $id: 'CallTrace' },
)

export const TraceQuerystring = Type.Object({
  format: Type.Optional(
    choice(traceForms, '`json` (default), `text`: the ladder as a terminal shows it, `pcapng`: for Wireshark.'),
  ),
  after: Type.Integer({ minimum: 0, default: 0, description: 'Only entries after this `seq`.' }),
  limit: Type.Integer({
    minimum: 1,
    maximum: 20_000,
    default: 10_000,
    description: 'Entries and RTP points of a page, which has at most 2 MB of messages, documents and notes.',
  }),
  columns: Type.Integer({ minimum: 80, maximum: 400, default: 100, description: 'Width of `text`.' }),
})
