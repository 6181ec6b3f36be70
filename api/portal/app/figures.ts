// Figures and times of the day as English (en-GB) and Swahili (sw-KE) write them, both alike. Not by `Intl`: the first
// formatter of a tab makes the browser load its data of languages, at least 20 ms that home would be shown later.

/** Grouped by three digits: `1,234.50`. */
export function grouped(value: number, { least = 0, most = 0 }: { least?: number; most?: number } = {}): string {
  const [whole = '', fraction = ''] = value.toFixed(most).split('.')
  const kept = fraction.replace(/0+$/, '').padEnd(least, '0')
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${kept === '' ? '' : `.${kept}`}`
}

/** `22:05:09`, in the browser's zone. */
export const clock = (at: Date): string =>
  [at.getHours(), at.getMinutes(), at.getSeconds()].map(part => String(part).padStart(2, '0')).join(':')

/** `26 Nov, 22:05:09`; `months`: twelve words. */
export const dayAndClock = (at: Date, months: string): string =>
  `${at.getDate()} ${months.split(' ')[at.getMonth()]}, ${clock(at)}`
