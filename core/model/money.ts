/**
 * Money is a whole number of 1/10000 KES. Integers up to 2^53 hold nine hundred thousand million shillings.
 * On the wire it is a decimal string: at least two decimals, no needless zeros ("12.50", "0.0375").
 */
export type Money = number

const moneyUnitsPerShilling = 10_000

const decimal = /^(-?)(\d{1,12})(?:\.(\d{1,4}))?$/

/** "12.5" → 125000; undefined for anything that is no decimal with at most four places. */
export function parseMoney(text: string): Money | undefined {
  const match = decimal.exec(text)
  if (match === null) return undefined
  const units = Number(match[2]) * moneyUnitsPerShilling + Number((match[3] ?? '').padEnd(4, '0'))
  return match[1] === '-' && units !== 0 ? -units : units
}

/** 125000 → "12.50". */
export function formatMoney(money: Money): string {
  const absolute = Math.abs(money)
  const whole = Math.floor(absolute / moneyUnitsPerShilling)
  return `${money < 0 ? '-' : ''}${whole}.${decimals(absolute % moneyUnitsPerShilling)}`
}

/** Two to four digits. */
function decimals(units: number): string {
  if (units % 100 === 0) return String(units / 100).padStart(2, '0')
  return units % 10 === 0 ? String(units / 10).padStart(3, '0') : String(units).padStart(4, '0')
}
