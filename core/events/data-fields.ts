import type { EventCode } from './catalogue.ts'

/** What each field of `data` says. A name that ends in `?` is not always there. */
export type DataFields = Readonly<Record<string, string>>

const ofCall: DataFields = {
  sid: 'The call.',
  uuid: 'The call record.',
  direction: '`inbound`, `outbound` or `internal`.',
  from_number: 'Who calls.',
  to_number: 'Who is called.',
  status: 'Status of the call now.',
  reason_code: 'Why it ended, `END.<digits>`; empty while it lives.',
  reason_label: 'The same, readable.',
  duration_seconds: 'Whole length; null while it lives.',
  talk_seconds: 'Billed talk time; null while it lives.',
  cost: 'Charge in KES so far.',
  started_at: 'When it began.',
  answered_at: 'When it was answered, or null.',
  ended_at: 'When it ended, or null.',
}

const ofCallEnd: DataFields = {
  ...ofCall,
  problem_code: 'The first thing that was not done while the call went on, as in the Call of `GET /calls/{uuid}`.',
  quality: 'Media quality of each leg, as in the Call of `GET /calls/{uuid}`; null after a restart of the switch.',
}

const ofDial: DataFields = {
  sid: 'The call that dials.',
  dial_sid: 'The dialled leg: the DialCallSid of the action request.',
  leg_uuid: 'The leg, or null when none was placed.',
  kind: '`number`, `client`, `sip` or `conference`.',
  route: '`trunk` or `on-net`, or null.',
  trunk: 'Name of the trunk, or empty.',
  from_number: 'What the remote side sees.',
  to_number: 'Who is dialled, or the name of the room.',
  status: 'Status of the leg now.',
  reason_code: 'Why it ended, or empty.',
  talk_seconds: 'How long it was connected.',
  started_at: 'When it began, or null.',
  answered_at: 'When it was answered, or null.',
  ended_at: 'When it ended, or null.',
}

const ofRecording: DataFields = { sid: 'The call.', recording: 'The Recording, as `GET /recordings/` lists it.' }
const ofAudio: DataFields = {
  sid: 'The call.',
  'url?': 'The URL, where it is none that can be played.',
  detail: 'What went wrong.',
}
const ofFetch: DataFields = { sid: 'The call.', url: 'The document.', detail: 'What went wrong.' }
const ofDocument: DataFields = {
  sid: 'The call.',
  url: 'The document.',
  line: 'From 1.',
  column: 'From 1.',
  message: 'What is wrong there.',
}
const ofCallback: DataFields = {
  id: 'The `id` of the callback.',
  code: 'The event that it reports.',
  url: 'Where it went.',
  tries: 'How often it was sent.',
  'status?': 'HTTP status of the last answer.',
  'answer?': 'The first 1,024 bytes of its body, secrets covered; missing: it was empty.',
  'fault?': 'Why there was no answer: `timeout`, `too-large`, `transport`, `refused-address`, `aborted`.',
  'detail?': 'The same, readable.',
}

/** `data` of every event; the reference is made of it. */
export const eventDataFields = {
  'CALL.0100': ofCall,
  'CALL.0180': ofCall,
  'CALL.0200': ofCall,
  'CALL.0300': ofCallEnd,
  'CALL.0400': ofCallEnd,
  'DIAL.0100': ofDial,
  'DIAL.0180': ofDial,
  'DIAL.0200': ofDial,
  'DIAL.0300': ofDial,
  'DIAL.0400': ofDial,
  'REC.0100': ofRecording,
  'REC.0200': ofRecording,
  'REC.0300': ofRecording,
  'REC.0310': ofRecording,
  'REC.0400': {
    sid: 'The call.',
    recording: 'The Recording, as `GET /recordings/` lists it; null where it was not begun.',
    'detail?': 'Why it was not begun.',
  },
  'ACCT.0100': {
    quota:
      '`asset_bytes`, `recording_bytes`, `documents`, `end_users`, `live_tokens` or `stream_connections`: the account field without `max_`.',
    used: 'What is stored or open now.',
    limit: 'What the account may have.',
  },
  'ACCT.0200': { address: 'Where the operator’s browser was.' },
  'BILL.0100': { sid: 'The call.', seconds_left: 'Seconds that are paid for.' },
  'BILL.0200': {
    leg_uuid: 'The leg that was charged.',
    number: 'Who was called, or who called.',
    direction: '`outbound` or `inbound`.',
    prefix: 'Prefix of the rate.',
    rate_per_minute: 'KES a minute.',
    talk_seconds: 'Talked.',
    billed_seconds: 'Billed, in whole increments.',
    charge: 'KES.',
  },
  'DTMF.0100': {
    sid: 'The call.',
    digit: '`0` to `9`, `*`, `#`, `A` to `D`.',
    duration_ms: 'How long it was pressed.',
    leg: 'Who pressed it: `caller` or `callee`.',
  },
  'WH.0100': { url: 'Where it goes.' },
  'WH.0200': ofCallback,
  'WH.0400': ofCallback,
  'PLAY.0400': ofAudio,
  'PLAY.0404': ofAudio,
  'PLAY.0408': ofAudio,
  'PLAY.0413': ofAudio,
  'PLAY.0415': ofAudio,
  'SAY.0404': { sid: 'The call.', voice: 'The voice that is not known.' },
  'SAY.0413': ofDocument,
  'SAY.0500': ofAudio,
  'DOC.0204': ofDocument,
  'DOC.0400': ofDocument,
  'DOC.0404': ofFetch,
  'DOC.0408': ofFetch,
  'DOC.0413': {
    sid: 'The call.',
    url: 'The document.',
    'detail?': 'What went wrong while it was fetched.',
    'line?': 'From 1.',
    'column?': 'From 1.',
    'message?': 'What is wrong there.',
  },
  'DOC.0422': ofDocument,
  'DOC.0502': ofFetch,
  'EVENT.0429': { sid: 'The call.', omitted: 'How many events were left out.' },
} as const satisfies Record<EventCode, DataFields>
