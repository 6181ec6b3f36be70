import { Type } from '@sinclair/typebox'
import { testOutcomes } from '../../core/index.ts'
import { choice, e164, moneyOut, nullable, numberOut, resource, timestamp, uuidOut } from './field.ts'

const series = (description: string) => Type.Array(Type.Number(), { description })

export const Figures = Type.Object(
  {
    step_seconds: Type.Integer({ description: 'Between two places of a series.' }),
    from: timestamp('When the first place was measured.'),
    live_calls: series('Calls that live.'),
    calls_per_second: series('Calls that began.'),
    failed_per_second: series('Calls that ended without an answer.'),
    media_sessions: series('Sessions of the media threads.'),
    media_busy: series('Share of its time that the busiest media thread works.'),
    loop_delay_ms: series('How late the event loop was.'),
    loop_busy: series('Share of its time that the signalling thread works.'),
    callbacks_waiting: series('Status callbacks that wait, or are being sent.'),
    disk_used: series('Share of the disk of the data folder.'),
    memory_mb: series('Resident memory.'),
    failures: Type.Array(Type.Object({ reason_code: Type.String({ examples: ['END.0486'] }), calls: Type.Integer() }), {
      description: 'Why calls failed, in the time that is shown.',
    }),
  },
  { $id: 'Figures' },
)

export const OperatorChange = Type.Object(
  {
    id: Type.Integer(),
    actor: Type.String({ description: '`key`, or the uuid of a session of the console.', examples: ['key'] }),
    address: Type.String({ examples: ['203.0.113.7'] }),
    action: choice(['POST', 'PUT', 'PATCH', 'DELETE'], 'The method of the request.'),
    path: Type.String({ description: 'Where it went.', examples: ['/operator/rates'] }),
    before: nullable(Type.Unknown(), { description: 'How it was: what GET of the path said; null for what is new.' }),
    after: nullable(Type.Unknown(), { description: 'What was answered, without secrets.' }),
    created_at: timestamp('When.'),
  },
  { $id: 'OperatorChange' },
)

export const TrunkState = Type.Object(
  {
    uuid: uuidOut('The trunk.'),
    is_registered: nullable(Type.Boolean(), { description: 'Null: it is not registered with.' }),
    is_reachable: nullable(Type.Boolean(), { description: 'By OPTIONS; null: it is not pinged.' }),
    live_legs: Type.Integer({ description: 'Legs of live calls on it.' }),
  },
  { $id: 'TrunkState' },
)

const figure = (description: string) => nullable(Type.Number(), { description })

export const TrunkTestOrder = Type.Object(
  {
    to: Type.Optional(
      Type.String({
        pattern: `^${e164}$`,
        description: "Called as well: best an echo service of the carrier. E.164, within the trunk's prefixes.",
        'x-problem': 'must be E.164: + and 7 to 15 digits',
        examples: ['+254700000101'],
      }),
    ),
    from: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9+_.-]{1,40}$',
        description: "The caller's number that the carrier is sent. Default: the trunk's username, without one `test`.",
        'x-problem': 'must be 1 to 40 letters, digits, +, -, _ or dots',
        examples: ['+254700000102'],
      }),
    ),
  },
  { $id: 'TrunkTestOrder', additionalProperties: false },
)

export const TrunkTestCall = Type.Object(
  {
    outcome: choice(
      testOutcomes,
      [
        '`echo`: our tones came back. `no-echo`: audio came, but not ours. `silent`: answered, and no packet came.',
        '`busy`, `no-answer`, `refused`, `unreachable`: not answered. `no-media`: no codec in common, or no port free.',
        '`hung-up`: the remote ended the call before the tones were through. `cancelled`: the request went away.',
      ].join(' '),
    ),
    dialled: Type.String({ description: "The number in the trunk's form.", examples: ['254700000101'] }),
    sip_status: nullable(Type.Integer(), { description: "The INVITE's final response; null: there was none." }),
    reason_code: nullable(Type.String({ examples: ['END.0486'] }), {
      description: 'Why it was not answered, as in call records; null where it was, or where we gave up.',
    }),
    ringing_ms: figure('From the INVITE to the first 180 or 183 that says it rings; null: none came.'),
    answered_ms: figure('From the INVITE to its 200; null: none came.'),
    ended_ms: Type.Number({ description: 'From the INVITE to the end of the call.' }),
    codec: nullable(Type.String(), { description: 'Null: none was agreed.' }),
    packets_sent: Type.Integer(),
    packets_received: Type.Integer(),
    loss_percent: figure('Of what was received; null: nothing was.'),
    jitter_ms: figure('Of what was received.'),
    mos: figure('Of what was received, by the E-model.'),
    round_trip_ms: figure('Of packets, by RTCP; null: the remote sends no reports, or the call was too short for one.'),
    echo_ms: figure('Until our audio came back; null: it did not.'),
    echo_percent: figure('How much of our audio came back.'),
  },
  { $id: 'TrunkTestCall' },
)

export const TrunkTest = Type.Object(
  {
    is_reachable: Type.Boolean({ description: 'It answered OPTIONS.' }),
    milliseconds: Type.Integer({ description: 'Until it did, or until the test gave up.' }),
    call: nullable(resource(TrunkTestCall), { description: 'What came of the call; null: none was asked for.' }),
  },
  { $id: 'TrunkTest' },
)

export const RouteMatch = Type.Object(
  {
    number: numberOut('Who is called.'),
    is_allowed: Type.Boolean({ description: 'False: the lists of destinations block it.' }),
    owner: nullable(uuidOut('The account.'), {
      description: 'Set where the number is of this switch: no trunk is used.',
    }),
    rate: nullable(
      Type.Object({
        prefix: Type.String({ examples: ['+254'] }),
        rate_per_minute: moneyOut('KES.'),
        connection_fee: moneyOut('KES.'),
        increment_seconds: Type.Integer(),
      }),
      { description: 'Null: no rate fits, so calls are refused.' },
    ),
    trunks: Type.Array(
      Type.Object({
        uuid: uuidOut('The trunk.'),
        name: Type.String({ examples: ['Carrier'] }),
        dialled: numberOut('The number in the form of the trunk.'),
        priority: Type.Integer(),
        weight: Type.Integer(),
      }),
      { description: 'In the order in which they are tried; equals by the share of their weight.' },
    ),
  },
  { $id: 'RouteMatch' },
)
