import { language } from './texts/index.ts'

// Values as people read them, in their language.

const locale = (): string => (language.value === 'sw' ? 'sw-KE' : 'en-GB')

/** One formatter of a kind, kept while the language stays: to make one costs many times what its use does. */
function kept<T>(make: (locale: string) => T): () => T {
  let made: { readonly of: string; readonly it: T } | undefined
  return () => {
    const of = locale()
    if (made?.of !== of) made = { of, it: make(of) }
    return made.it
  }
}

const times = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
const timeFormat = kept(of => new Intl.DateTimeFormat(of, times))
const dateTimeFormat = kept(of => new Intl.DateTimeFormat(of, { day: 'numeric', month: 'short', ...times }))
const zoneFormat = kept(of => new Intl.DateTimeFormat(of, { timeZoneName: 'short' }))
const moneyFormat = kept(of => new Intl.NumberFormat(of, { minimumFractionDigits: 2, maximumFractionDigits: 4 }))
const countFormat = kept(of => new Intl.NumberFormat(of))
const figureFormat = kept(of => new Intl.NumberFormat(of, { maximumFractionDigits: 2 }))

export const time = (iso: string | null | undefined): string => (iso ? timeFormat().format(new Date(iso)) : '–')

export const dateTime = (iso: string | null | undefined): string => (iso ? dateTimeFormat().format(new Date(iso)) : '–')

/** The zone of all times that are shown: `EAT`, `GMT+3`. */
export const zone = (): string =>
  zoneFormat()
    .formatToParts(new Date())
    .find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC'

/** With its name, where that says more: `Africa/Nairobi (EAT)`. */
export function zoneInFull(): string {
  const { timeZone } = zoneFormat().resolvedOptions()
  const short = zone()
  return timeZone === short ? timeZone : `${timeZone} (${short})`
}

export const money = (text: string | null | undefined): string =>
  text ? `KES ${moneyFormat().format(Number(text))}` : '–'

export const count = (value: number): string => countFormat().format(value)

/** A measured value: two digits after the point say enough. */
export const figure = (value: number): string => figureFormat().format(value)

export const length = (seconds: number | null | undefined): string => {
  if (seconds === null || seconds === undefined) return '–'
  const whole = Math.round(seconds)
  const rest = String(whole % 60).padStart(2, '0')
  const hours = Math.floor(whole / 3600)
  return hours > 0
    ? `${hours}:${String(Math.floor(whole / 60) % 60).padStart(2, '0')}:${rest}`
    : `${Math.floor(whole / 60)}:${rest}`
}

export const bytes = (size: number): string =>
  size < 1024
    ? `${size} B`
    : size < 1024 ** 2
      ? `${(size / 1024).toFixed(0)} kB`
      : `${(size / 1024 ** 2).toFixed(1)} MB`

/** +254 710 000 109: grouped from the right, as it is read aloud. A SIP URI stays as it is. */
export function number(text: string): string {
  if (!/^\+\d{9,15}$/.test(text)) return text
  const country =
    /^\+(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/.exec(text)?.[0] ?? text.slice(0, 4)
  const rest = text.slice(country.length)
  return `${country} ${rest.replace(/(\d)(?=(\d{3})+$)/g, '$1 ')}`
}
