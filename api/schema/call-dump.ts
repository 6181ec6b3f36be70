import { Type } from '@sinclair/typebox'
import { directions, statuses } from './call.ts'
import { choice, moneyOut, nullable, numberOut, sidOut, timestamp, uuidOut } from './field.ts'
import { LegFigures } from './quality.ts'

const count = (description: string) => Type.Integer({ description })
const word = (description: string, example: string) => Type.String({ description, examples: [example] })
const place = (description: string) => word(description, '192.0.2.1:40000')
const milliseconds = (description: string) => Type.Integer({ description })

const Deadline = Type.Object({
  name: word('Whose it is, or which timer of SIP.', 'session'),
  due_in_ms: milliseconds('From the moment of the dump; negative: it is late.'),
})

const Transaction = Type.Object({
  role: choice(['client', 'server'], 'Who sent the request: `client` is this switch.'),
  method: word('Of the request.', 'INVITE'),
  cseq: count('Its number.'),
  state: word('By RFC 3261 §17 and RFC 6026.', 'proceeding'),
  flow: word('Where its messages go.', 'udp 192.0.2.1:5060'),
  timers: Type.Array(Deadline),
})

const Sip = Type.Object({
  direction: choice(['incoming', 'outgoing'], 'Who sent the INVITE.'),
  state: word('Of the call in the SIP endpoint.', 'answered'),
  call_id: word('The Call-ID of the dialog.', 'a84b4c76e66710'),
  dialog: nullable(
    Type.Object({
      state: word('Of the INVITE session.', 'open'),
      offer: choice(['initial', 'local-offer', 'remote-offer', 'stable'], 'Whose offer is open (RFC 3264).'),
      open_request: choice(['none', 'early', 'ours', 'theirs', 'unacknowledged'], 'What is open besides an offer.'),
      local_tag: word('Our tag.', '8f3a'),
      remote_tag: word("The peer's tag.", '314159'),
      local_cseq: count('Of our last request.'),
      remote_cseq: nullable(count(''), { description: "Of the peer's last request; null: it has sent none." }),
      remote_target: word("The URI of the peer's Contact.", 'sip:198.51.100.7:5060'),
      route_set: Type.Array(Type.String()),
      next_hop: word('Where our requests go first.', 'sip:198.51.100.7:5060'),
      peer_allows_update: Type.Boolean({ description: 'It takes UPDATE (RFC 3311).' }),
    }),
    { description: 'Null before a dialled leg has answered.' },
  ),
  timers: Type.Array(Deadline),
  transactions: Type.Array(Transaction),
})

const Session = Type.Object({
  local_port: count('The RTP port.'),
  ssrc: count('Of what is sent.'),
  send_pipeline: word(
    'How media is sent, the most urgent source first.',
    'dtmf | prompt | bridge(forward PCMU) → packetize(20 ms) → srtp → udp:10002',
  ),
  send_source: choice(['dtmf', 'prompt', 'bridge', 'silence', 'nothing'], 'The source in it whose turn it is.'),
  receive_pipeline: word('How media is received.', 'udp:10002 → srtp → PCMU → forward | record'),
  agreement: nullable(
    Type.Object({
      codec: word('That is sent.', 'PCMU'),
      payload_type: count('That it is sent with.'),
      ptime_ms: count('Audio in a packet of ours.'),
      send: Type.Boolean({ description: 'We may send.' }),
      receive: Type.Boolean({ description: 'The remote may send.' }),
      on_hold: Type.Boolean({ description: 'One side is on hold.' }),
      remote: place('Where the remote wants RTP; empty = nowhere for now.'),
      send_events: nullable(count(''), { description: 'Payload type of telephone-events that we send; null: none.' }),
      accept_events: nullable(count(''), { description: 'Payload type of those that we take; null: none.' }),
    }),
    { description: 'What offer and answer agreed on; null: nothing yet.' },
  ),
  source: Type.Object({
    state: choice(['closed', 'waiting', 'confirmed', 'learned', 'resumed'], 'As in `media_source` of live calls.'),
    signalled: place('The address in SDP; empty = none.'),
    address: place('Where media comes from and goes to; empty = nowhere for now.'),
    candidate_packets: count('Packets that the candidate, a source that is not learned yet, has sent so far.'),
    changes: count('How often it moved without an offer or answer.'),
    refused_packets: count('Of sources that are not accepted.'),
    withheld_packets: count('That were not sent to an address that never answered.'),
  }),
  jitter_buffer: nullable(
    Type.Object({
      packets: count('That wait.'),
      delay_ms: Type.Number({ description: 'How much later than the fastest packet the last frame was played.' }),
      aim_ms: Type.Number({ description: 'The delay that it aims at.' }),
    }),
    { description: 'Null while packets are only forwarded, or nothing is received.' },
  ),
  srtp: Type.Object({
    state: choice(['plain', 'waits', 'protected'], '`waits`: nothing flows before keys are agreed on.'),
    suite: nullable(Type.String(), { description: 'Of what is received.' }),
  }),
  browser: nullable(
    Type.Object({
      selected: place('The address that ICE has selected; empty = none.'),
      paths: count('Pairs of addresses that checks came through.'),
      checks: count('That were answered.'),
      dropped_checks: count('That were not valid.'),
      dtls: choice(['waits', 'handshaking', 'connected', 'failed', 'closed'], 'State of DTLS.'),
    }),
    { description: 'Null: the remote is no browser.' },
  ),
  bridged_with: nullable(uuidOut('The leg whose media it receives.')),
  quality: LegFigures,
})

const Media = Type.Object({
  state: choice(['opening', 'open', 'failed', 'closing'], 'Of the session, as signalling ordered it.'),
  is_agreed: Type.Boolean({ description: 'Offer and answer have met.' }),
  plays: count('That were ordered and have not ended.'),
  recordings: count('That were ordered and have not ended.'),
  digits: count('Orders of digits that have not been sent.'),
  session: nullable(Session, { description: 'Null: there is none, or its thread has not answered in a second.' }),
})

const Leg = Type.Object({
  uuid: uuidOut('The leg.'),
  role: choice(['caller', 'callee'], 'Who began it.'),
  direction: choice(['inbound', 'outbound', 'on-net'], 'Seen from this switch.'),
  number: numberOut('Who is there.'),
  trunk: Type.String({ description: 'Name of the trunk; empty on-net.' }),
  state: choice(
    ['idle', 'offered', 'answering', 'dialled', 'up', 'ending', 'ended'],
    'Signalling, as the call has it.',
  ),
  media_state: choice(['none', 'opening', 'open', 'closing', 'closed'], 'Media, as the call has it.'),
  is_ready: Type.Boolean({ description: 'Offer and answer are complete: audio can flow.' }),
  codec: nullable(Type.String()),
  conference: nullable(Type.String({ description: 'Name of the room that it is in.' })),
  sip: nullable(Sip, { description: 'Null: its other end is a leg of this switch, or its SIP is over.' }),
  media: nullable(Media, { description: 'Null: it has no media session.' }),
})

export const CallDump = Type.Object(
  {
    taken_at: timestamp('The moment of the dump.'),
    uuid: uuidOut(),
    sid: sidOut(),
    account: uuidOut('The account.'),
    direction: choice(directions, 'Seen from this switch.'),
    from_number: numberOut('Who calls.'),
    to_number: numberOut('Who is called.', '+254700000102'),
    status: choice(statuses, 'Status of the call now.'),
    phase: choice(
      ['beginning', 'live', 'withdrawn', 'ending', 'closed', 'void'],
      'Of its row: `ending` waits for last confirmations.',
    ),
    created_at: timestamp('When it came in or was placed.'),
    answered_at: nullable(timestamp('When it was answered.')),
    waits_for: Type.Array(Type.String(), { description: 'In words; empty: for nothing but its remotes.' }),
    document: nullable(
      Type.Object({
        state: choice(['idle', 'requesting', 'running', 'leaving', 'over'], 'Of the interpreter.'),
        url: Type.String({ description: 'Of the document, without user, password, query and tokens.' }),
        verb: nullable(Type.String(), { description: 'That runs.' }),
        line: nullable(count(''), { description: 'Where it stands; null: in no document.' }),
        column: nullable(count(''), { description: 'Where it stands in the line.' }),
        wake_in_ms: nullable(milliseconds(''), { description: 'When the verb is woken.' }),
      }),
      { description: 'Null before the first document is asked for.' },
    ),
    dial: nullable(
      Type.Object({
        kind: choice(['dial', 'conference'], 'What it leads to.'),
        state: word('Of the search, or of the place in the room.', 'won'),
        conference: nullable(Type.String()),
        bridged_leg: nullable(uuidOut('The leg that the party is bridged with.')),
        branches: Type.Array(
          Type.Object({
            sid: sidOut('Of the dialled leg.'),
            kind: word('Number, client or sip.', 'number'),
            to: numberOut('Who is dialled.'),
            state: word('Of the branch.', 'answered'),
            leg: nullable(uuidOut('Its leg now.')),
          }),
        ),
      }),
      { description: 'The Dial that runs; null: none does.' },
    ),
    holds: Type.Array(
      Type.Object({
        uuid: uuidOut('The hold.'),
        leg: uuidOut('The leg that it pays for.'),
        state: choice(['quiet', 'asking', 'exhausted', 'settled'], '`asking`: a growth is on its way.'),
        amount: moneyOut('KES that are held.'),
        paid_seconds: nullable(count(''), { description: 'That it pays for from the answer on; null: any number.' }),
        talk_seconds: nullable(count(''), { description: 'Since the answer; null before it.' }),
        rate_prefix: word('Of the rate.', '+254'),
      }),
    ),
    timers: Type.Array(Deadline),
    legs: Type.Array(Leg),
  },
  { $id: 'CallDump' },
)
