// Figures and times of the day as English (en-GB) and Swahili (sw-KE) write them, both alike. Not by `Intl`: the first
// formatter of a tab makes the browser load its data of languages, at least 20 ms that home would be shown later.

/** Grouped by three digits: `1,234.50`. */
export function grouped(value: number, { least = 0, most = 0 }: { least?: number; most?: number } = {}): string {
  const [whole = '', fraction = ''] = value.toFixed(most).split('.')
  const kept = fraction.replace(/0+$/, '').padEnd(least, '0')
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${kept === '' ? '' : `.${kept}`}`
}

/** `KES 1,234.50`, and `−KES 450.00` with the sign before all of it, as a bank writes it; up to four digits after the point. */
export const shillings = (value: number): string =>
  `${value < 0 ? '−' : ''}KES ${grouped(Math.abs(value), { least: 2, most: 4 })}`

/** `22:05:09`, in the browser's zone. */
export const clock = (at: Date): string =>
  [at.getHours(), at.getMinutes(), at.getSeconds()].map(part => String(part).padStart(2, '0')).join(':')

/** `26 Nov, 22:05:09`, with the year where that is not the one of `now`; `months`: twelve words. */
export function dayAndClock(at: Date, months: string, now: Date): string {
  const year = at.getFullYear() === now.getFullYear() ? '' : ` ${at.getFullYear()}`
  return `${at.getDate()} ${months.split(' ')[at.getMonth()]}${year}, ${clock(at)}`
}

/** How long ago, in the largest unit that fits; undefined: too long for anything but a date. */
export function agoOf(
  ms: number,
): { readonly unit: 'now' | 'minutes' | 'hours' | 'days'; readonly count: number } | undefined {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return { unit: 'now', count: 0 }
  if (minutes < 60) return { unit: 'minutes', count: minutes }
  if (minutes < 24 * 60) return { unit: 'hours', count: Math.floor(minutes / 60) }
  const days = Math.floor(minutes / (24 * 60))
  return days <= 30 ? { unit: 'days', count: days } : undefined
}
