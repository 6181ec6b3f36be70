import { refusalCodes } from '../../core/contract/refusal-codes.ts'
import { reasonOf } from '../../core/leg/reason-of.ts'
import { endReasons, type LegCause } from '../../core/model/end-reason.ts'
import { code, generated, page, table } from './markdown.ts'

/** `docs/errors.md`: what a refusal and an end are called. */
export function errorsPage(): string {
  return page(
    '# Errors and reasons',
    generated,
    '## Refusals of the API',
    'The body is `{ detail, code?, errors? }`: `detail` begins with the code, `errors` names every field of a 422. What each endpoint may answer is in [the API](api.md). A call that is refused leaves no row and no charge.',
    table(
      ['Code', 'Status', 'Meaning'],
      Object.entries(refusalCodes).map(([name, { status, meaning }]) => [code(name), String(status), meaning]),
    ),
    'Billing (`BILL.*`, 402 and 403) and caps (`LIMIT.*`, 429 with `Retry-After: 1`) never share a code.',
    '## Why a call or a leg ended',
    '`reason_code` and `reason_label` of the call record and of events. SIP: what an unanswered caller receives. Q.850: the cause in the `Reason` header of our BYE or CANCEL. DialCallStatus: of a dialled leg that was never answered; an answered one is always `completed`.',
    table(
      ['Code', 'Label', 'SIP', 'Q.850', 'DialCallStatus'],
      Object.entries(endReasons).map(([name, cause]) => [
        code(name),
        cause.label,
        String(cause.sip),
        String(cause.q850),
        code(cause.dial === 'completed' ? 'failed' : cause.dial),
      ]),
    ),
    'A caller whose call ends by a document that failed (`END.34xx`, `END.35xx`) and who was never answered receives 603, and `Reason: SIP;cause=603`; a softphone 503. An on-net caller sees `END.0603` then.',
    '## Caps of an account',
    'Set by the operator. A place is free again when its call or leg has really ended, and one that is on its way to the database is taken already.',
    table(
      ['Field', 'Default', 'What it bounds', 'Beyond it'],
      [
        [
          '`max_concurrent_calls`',
          '50',
          'live calls that the account has placed, by API or softphone',
          '`LIMIT.0429`; a softphone 503, `END.4429`',
        ],
        [
          '`max_calls_per_second`',
          '10',
          'new calls that it places; and on their own as many legs of Dial to trunks and SIP URIs',
          '`LIMIT.0430`; a softphone 503, `END.4430`. A leg waits up to a second for its turn, then it is `failed`, `END.4430`',
        ],
        [
          '`max_inbound_calls`',
          '100',
          'live calls to its numbers, on-net ones included',
          '480, `END.4429`; an on-net caller sees `END.0480`',
        ],
        [
          '`max_dialled_legs`',
          '200',
          'live legs that its Dials have opened: to trunks, SIP URIs, numbers of this switch, and each phone that rings',
          'the leg is `failed`, `END.4429`',
        ],
      ],
    ),
    'Numbers of this switch dial one another at most 8 deep, and one call that comes in or is placed leads to at most 20 legs within the switch, whichever of the calls that come of it dials them: calls to numbers of this switch in all, and phones that ring at one time, each device of an end-user for itself. What is beyond fails with `END.3482`; of several `<Client>` each gets one phone before any gets its second.',
    '## Quotas of an account',
    'What an account stores and holds open: the settings `quotas.*`, and for one account the fields `max_asset_bytes`, `max_recording_bytes`, `max_documents`, `max_end_users`, `max_live_tokens` and `max_stream_connections` of `PATCH /operator/accounts/{uuid}`; `usage` beside them says what is used. Beyond one: 409 with a sentence that names it, without a code, and so beyond 100 valid phone tokens of one end-user; of recordings see [there](recordings.md#quota). At 80 % the stream tells `ACCT.0100`.',
    'Of several children of a Dial that all fail, `busy` wins over `no-answer` over `failed`.',
    '## From the remote',
    "What a carrier's final response becomes; a `Reason` header with a Q.850 cause wins over it where the cause says more. A redirection (3xx) is not followed: the remote would choose where the customer's money goes.",
    table(['SIP', 'becomes'], bySip()),
    table(['Q.850', 'becomes'], byQ850()),
  )
}

const response = (status: number, q850?: number): LegCause => ({
  kind: 'response',
  status,
  ...(q850 === undefined ? {} : { q850 }),
})

const label = (reason: keyof typeof endReasons): string => `${code(reason)} ${endReasons[reason].label}`

/** Asked of the table itself: every status, those of equal outcome in one row. */
function bySip(): string[][] {
  const rows = new Map<string, string[]>()
  for (let hundred = 300; hundred <= 600; hundred += 100) {
    const others = reasonOf(response(hundred + 99))
    let rest = `${hundred / 100}xx`
    for (let status = hundred; status < hundred + 99; status++) {
      const reason = reasonOf(response(status))
      if (reason === others) continue
      rest = `other ${hundred / 100}xx`
      rows.set(label(reason), [...(rows.get(label(reason)) ?? []), String(status)])
    }
    rows.set(label(others), [...(rows.get(label(others)) ?? []), rest])
  }
  return [...rows].map(([reason, statuses]) => [statuses.join(', '), reason])
}

/** 418 means nothing of its own, so what differs from it is the cause's doing. */
function byQ850(): string[][] {
  const plain = reasonOf(response(418))
  const rows = new Map<string, string[]>()
  for (let cause = 0; cause <= 127; cause++) {
    const reason = reasonOf(response(418, cause))
    if (reason !== plain) rows.set(label(reason), [...(rows.get(label(reason)) ?? []), String(cause)])
  }
  return [...rows].map(([reason, causes]) => [causes.join(', '), reason])
}
