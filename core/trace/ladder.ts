import type { Trace, TraceEnd, TraceEntry } from './trace.ts'

const timeWidth = 9
const narrowest = 80

const clip = (text: string, width: number): string =>
  text.length <= width ? text : width < 2 ? text.slice(0, width) : `${text.slice(0, width - 1)}…`

/** What others wrote gives no orders to a terminal (ECMA-48). */
const printable = (line: string): string => line.replace(/\p{Cc}/gu, '·')

const seconds = (ms: number): string => (ms / 1000).toFixed(3).padStart(timeWidth)

/**
 * A lane for each leg, to the right of the switch: SIP messages are arrows, all other entries stand beside the time.
 */
export function drawLadder(trace: Trace, columns: number): string {
  const width = Math.max(narrowest, columns)
  return [...headOf(trace, width), ...drawEntries(trace, width), ...tailOf(trace, width)].map(printable).join('\n')
}

/** The lines of entries alone, as a follower appends them. */
export const drawEntries = (trace: Pick<Trace, 'legs' | 'entries'>, columns: number): readonly string[] =>
  trace.entries.flatMap(entry => linesOf(trace, entry, Math.max(narrowest, columns))).map(printable)

function headOf(trace: Trace, width: number): readonly string[] {
  const names = trace.legs.map(
    leg => `${leg.id}: ${leg.number || leg.via}${leg.trunk === null ? '' : ` (${leg.trunk})`}`,
  )
  return [
    clip(`${trace.sid}  ${trace.direction}  ${trace.fromNumber} → ${trace.toNumber}`, width),
    ...beside('legs  ', names.join('   '), width),
    ...(trace.isComplete ? [] : ['some entries are no longer kept']),
    '',
  ]
}

function linesOf(trace: Pick<Trace, 'legs'>, entry: TraceEntry, width: number): readonly string[] {
  const time = seconds(entry.ms)
  if (entry.kind !== 'sip') {
    return beside(`${time}  ${entry.leg ?? ' '} ${entry.kind.padEnd(9)} `, entry.text, width)
  }
  const lane = Math.max(
    0,
    trace.legs.findIndex(leg => leg.id === entry.leg),
  )
  const lanes = Math.max(1, trace.legs.length)
  // The switch and each leg are vertical lines; an arrow runs between the switch and the leg's line.
  const room = width - timeWidth - 2
  const step = Math.max(6, Math.floor((room - 2) / Math.min(lanes, 6)))
  const reach = Math.min(step * (Math.min(lane, 5) + 1), room - 2)
  const label = ` ${clip(entry.text, reach - 5)} `
  const isReceived = entry.data.direction === 'received'
  const dashes = '─'.repeat(Math.max(0, reach - 2 - label.length))
  const half = Math.floor(dashes.length / 2)
  const body = `${dashes.slice(0, half)}${label}${dashes.slice(half)}`
  const arrow = isReceived ? `◀${body}─` : `─${body}▶`
  return [`${time}  │${arrow}${entry.leg ?? ''}`.slice(0, width)]
}

function tailOf(trace: Trace, width: number): readonly string[] {
  const end = trace.end
  const charges = trace.charges.flatMap(({ leg, number, explained }) =>
    beside(`cost  ${leg ?? ' '} `, `${number}: ${explained}`, width),
  )
  return [
    ...(trace.hasMore ? [`more follows: ask again with after=${trace.last}`] : []),
    '',
    ...trace.rtp.flatMap(rtp => beside(`rtp   ${rtp.leg} `, rtpText(rtp), width)),
    ...charges,
    ...(end === null ? ['the call goes on'] : drawEnd(end, width)),
  ]
}

/** Why the call ended, and what had failed before. */
export const drawEnd = (end: TraceEnd, columns: number): readonly string[] =>
  [
    ...wrapped(`${end.reason_code} ${end.reason_label}. ${end.sentence}`, columns),
    ...(end.advice === '' ? [] : wrapped(end.advice, columns)),
    end.link,
    ...end.problems.flatMap(({ code, sentence, advice, link }) => [
      ...beside('before  ', `${code} ${sentence} ${advice}`.trim(), columns),
      link,
    ]),
  ].map(printable)

function rtpText(rtp: Trace['rtp'][number]): string {
  const scores = rtp.mos.filter(mos => mos !== null)
  const worst = scores.length === 0 ? '' : `, MOS ${Math.min(...scores).toFixed(2)} at worst`
  const sum = (column: readonly number[]) => column.reduce((all, one) => all + one, 0)
  const loss = rtp.loss_percent.length === 0 ? 0 : Math.max(...rtp.loss_percent)
  return `${rtp.codec ?? ''}: ${sum(rtp.packets_received)} packets received, ${sum(rtp.packets_sent)} sent, loss ${loss.toFixed(1)} % at worst${worst}`
}

const beside = (mark: string, text: string, width: number): readonly string[] =>
  wrapped(text, width - mark.length).map((line, at) => (at === 0 ? mark : ' '.repeat(mark.length)) + line)

function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.replace(/\s+/g, ' ').split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = ''
    }
    line = line === '' ? clip(word, width) : `${line} ${word}`
  }
  return [...lines, line]
}
