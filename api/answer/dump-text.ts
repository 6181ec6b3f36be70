import type { RenderedDump, RenderedLeg } from './render-dump.ts'

type Sip = NonNullable<RenderedLeg['sip']>
type Session = NonNullable<NonNullable<RenderedLeg['media']>['session']>
type Row = readonly [name: string, value: string]

/** A dump for people: a name and a value a line, a part of the call a paragraph. */
export function dumpText(dump: RenderedDump): string {
  const { document, dial } = dump
  const rows: Row[] = [
    ['call', `${dump.sid}  ${dump.uuid}`],
    ['account', dump.account],
    ['from → to', `${dump.from_number} → ${dump.to_number}  (${dump.direction})`],
    ['status', `${dump.status}, ${dump.phase}`],
    ['since', `${dump.created_at}${dump.answered_at === null ? '' : `, answered ${dump.answered_at}`}`],
    ['taken', dump.taken_at],
    ['waits for', dump.waits_for.join('; ') || 'its remotes'],
    ['document', document === null ? 'none' : documentText(document)],
    [
      'dial',
      dial === null ? 'none' : `${dial.kind}${dial.conference === null ? '' : ` ${dial.conference}`}: ${dial.state}`,
    ],
    ...(dial?.branches ?? []).map(({ kind, to, state, sid }): Row => ['', `${kind} ${to}: ${state}  ${sid}`]),
    ...dump.holds.map(holdRow),
    ...timerRows(dump.timers),
  ]
  return [paragraph(rows), ...dump.legs.map(legText)].join('\n\n')
}

function documentText(document: NonNullable<RenderedDump['document']>): string {
  const { state, url, verb, line, column, wake_in_ms: wake } = document
  const where = line === null ? '' : ` at line ${line}, column ${column}`
  const until = wake === null ? '' : `, woken in ${wake} ms`
  return `${state}${verb === null ? '' : ` <${verb}>${where}`}${until}  ${url}`.trimEnd()
}

function holdRow(hold: RenderedDump['holds'][number]): Row {
  const paid = hold.paid_seconds === null ? 'any time' : `${hold.paid_seconds} s`
  const talked = hold.talk_seconds === null ? 'not answered' : `${hold.talk_seconds} s talked`
  return ['hold', `KES ${hold.amount} for ${paid}, ${talked}, ${hold.state}, rate ${hold.rate_prefix}, leg ${hold.leg}`]
}

function legText(leg: RenderedLeg): string {
  const head: Row[] = [
    ['leg', `${leg.role} ${leg.number}  ${leg.direction}${leg.trunk === '' ? '' : ` by ${leg.trunk}`}  ${leg.uuid}`],
    ['  state', `${leg.state}, media ${leg.media_state}${leg.is_ready ? ', ready' : ''}`],
    ['  codec', leg.codec ?? 'not agreed on'],
    ...(leg.conference === null ? [] : [['  conference', leg.conference] as const]),
  ]
  const media: Row[] =
    leg.media === null
      ? [['  media', 'none']]
      : [
          [
            '  media',
            `${leg.media.state}, ${leg.media.plays} plays, ${leg.media.recordings} recordings, ${leg.media.digits} orders of digits`,
          ],
          ...(leg.media.session === null ? [] : sessionRows(leg.media.session)),
        ]
  return paragraph([...head, ...(leg.sip === null ? [['  SIP', 'none'] as const] : sipRows(leg.sip)), ...media])
}

function sipRows({ direction, state, call_id, dialog, timers, transactions }: Sip): readonly Row[] {
  const within: readonly Row[] =
    dialog === null
      ? []
      : [
          ['  dialog', `${dialog.state}, offer ${dialog.offer}, open request ${dialog.open_request}`],
          ['  CSeq', `ours ${dialog.local_cseq}, theirs ${dialog.remote_cseq ?? 'none'}`],
          ['  target', dialog.remote_target],
          ['  next hop', dialog.next_hop],
        ]
  return [
    ['  SIP', `${direction}, ${state}, Call-ID ${call_id}`],
    ...within,
    ...timerRows(timers, '  SIP timer'),
    ...transactions.map(({ role, method, cseq, state, flow, timers }): Row => {
      const due = timers.map(({ name, due_in_ms }) => `, timer ${name} in ${due_in_ms} ms`).join('')
      return ['  transaction', `${role} ${cseq} ${method}: ${state}, ${flow}${due}`]
    }),
  ]
}

function sessionRows(session: Session): readonly Row[] {
  const { agreement, source, jitter_buffer: buffer, srtp, browser, quality } = session
  const from = `${source.address || 'nowhere'}, ${source.state}; in SDP ${source.signalled || 'none'}`
  return [
    ['  sends', session.send_pipeline],
    ['  now', session.send_source],
    ['  receives', session.receive_pipeline],
    ['  source', `${from}; ${source.refused_packets} packets refused, ${source.withheld_packets} withheld`],
    ['  agreed', agreement === null ? 'nothing' : agreementText(agreement)],
    [
      '  jitter buffer',
      buffer === null ? 'none' : `${buffer.packets} packets, ${buffer.delay_ms} ms, aims at ${buffer.aim_ms} ms`,
    ],
    ['  SRTP', `${srtp.state}${srtp.suite === null ? '' : `, ${srtp.suite}`}`],
    ...(browser === null
      ? []
      : [
          ['  ICE', `${browser.selected || 'no path'}, ${browser.paths} paths, ${browser.checks} checks`] as const,
          ['  DTLS', browser.dtls] as const,
        ]),
    [
      '  packets',
      `${quality.packets_received} received, ${quality.packets_sent} sent, ${quality.packets_lost} lost, ${quality.packets_late} late, ${quality.packets_dropped} dropped`,
    ],
    ['  quality', `MOS ${quality.mos ?? '-'}, jitter ${quality.jitter_ms} ms, loss ${quality.loss_percent} %`],
  ]
}

function agreementText(agreement: NonNullable<Session['agreement']>): string {
  const { codec, payload_type, ptime_ms, send, receive, on_hold, remote, send_events } = agreement
  const direction = send ? (receive ? 'sendrecv' : 'sendonly') : receive ? 'recvonly' : 'inactive'
  const events = send_events === null ? 'digits as tones' : `digits as events ${send_events}`
  return `${codec} (${payload_type}), ${ptime_ms} ms, ${direction}${on_hold ? ', on hold' : ''}, ${events}, to ${remote || 'nowhere'}`
}

const timerRows = (timers: RenderedDump['timers'], name = 'timer'): readonly Row[] =>
  timers.map(timer => [name, `${timer.name} in ${timer.due_in_ms} ms`])

const nameWidth = 16

const paragraph = (rows: readonly Row[]): string =>
  rows.map(([name, value]) => `${name.padEnd(nameWidth)}${value}`.trimEnd()).join('\n')
