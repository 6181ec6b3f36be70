import type { HeaderField } from '../message/message.ts'
import type { EndWords } from './call-command.ts'
import { reasonCodeHeader } from './settings.ts'

const safeText = (text: string): string => text.replace(/["\\\r\n]/g, ' ')

/** RFC 3326 §3.2: by this a phone knows a call that it did not miss. */
const elsewhere = 'SIP;cause=200;text="Call completed elsewhere"'

const causeOf = ({ withoutQ850, status, q850 }: EndWords): string =>
  withoutQ850 ? `SIP;cause=${status}` : `Q.850;cause=${q850}`

/** RFC 3326 Reason and our own code: what a BYE, a CANCEL and a refusal say. */
export function wordFields(words: EndWords): HeaderField[] {
  const fields: HeaderField[] = [
    {
      name: 'Reason',
      value: words.isAnsweredElsewhere ? elsewhere : `${causeOf(words)};text="${safeText(words.text)}"`,
    },
    { name: reasonCodeHeader, value: words.code },
  ]
  if (words.retryAfterSeconds !== undefined)
    fields.push({ name: 'Retry-After', value: String(Math.max(0, Math.ceil(words.retryAfterSeconds))) })
  return fields
}
