// What an event is about, in the few words that its row has room for; each word stands for itself in every language.

type Data = Readonly<Record<string, unknown>>

interface EventSummary {
  readonly tone: 'bad' | 'warn' | 'calm'
  /** Numbers, addresses and the like. */
  readonly facts: readonly string[]
  /** Why a call or a leg ended; empty: it has not, or as planned. */
  readonly reason: string
}

/** Something was skipped, or will soon be wrong: the call went on. */
const warns: ReadonlySet<string> = new Set([
  'ACCT.0100',
  'BILL.0100',
  'DOC.0204',
  'DOC.0422',
  'SAY.0404',
  'SAY.0413',
  'EVENT.0429',
])

const toneOf = (code: string): EventSummary['tone'] =>
  warns.has(code) ? 'warn' : /\.0[45]\d\d$/.test(code) ? 'bad' : 'calm'

const text = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''

function factsOf(code: string, data: Data): readonly string[] {
  switch (code.split('.')[0]) {
    case 'CALL':
    case 'DIAL':
      return [`${text(data.from_number)} → ${text(data.to_number)}`]
    case 'WH':
      return [text(data.code), text(data.status), text(data.url)]
    case 'DTMF':
      return [text(data.digit)]
    case 'ACCT':
      return [text(data.quota), text(data.address)]
    case 'BILL':
      return [text(data.number), data.charge === undefined ? '' : `KES ${text(data.charge)}`]
    case 'DOC':
    case 'PLAY':
    case 'SAY':
      return [text(data.asset), text(data.verb), text(data.url)]
    default:
      return []
  }
}

export function summaryOf(code: string, data: unknown): EventSummary {
  const of = (data ?? {}) as Data
  const reason = text(of.reason_code)
  return {
    tone: toneOf(code),
    facts: factsOf(code, of).filter(fact => fact !== '' && fact !== ' → '),
    reason: reason === 'END.0200' ? '' : reason,
  }
}
