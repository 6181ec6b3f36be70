import { type EventCode, eventCatalogue } from './catalogue.ts'

/** Whose codes do not say it: something will soon be wrong, or verbs can never run. */
const early: ReadonlySet<EventCode> = new Set<EventCode>(['ACCT.0100', 'BILL.0100', 'DOC.0204'])

/** Events that a person looks for who wants to know what is wrong: failures, what was skipped, what nears its end. */
export const problemCodes: readonly EventCode[] = (Object.keys(eventCatalogue) as EventCode[]).filter(
  code => /\.0[45]\d\d$/.test(code) || early.has(code),
)
