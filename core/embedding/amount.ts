import { type Money, parseMoney } from '../model/money.ts'
import { SwitchError } from './errors.ts'

/** KES of a program's text. Throws `money.invalid`, which names the field. */
export function amountOf(text: string, field: string): Money {
  const money = parseMoney(text)
  if (money !== undefined) return money
  throw new SwitchError('money.invalid', `${field}: "${text}" is no amount; write KES such as "12.50"`)
}

/** The same for an option that may be missing. */
export const optionalAmount = (text: string | undefined, field: string): Money | undefined =>
  text === undefined ? undefined : amountOf(text, field)
