import { agoOf, clock, dayAndClock, grouped, shillings } from './figures.ts'
import { serverNow } from './server-time.ts'
import { language, t } from './texts/index.ts'

// Values as people read them, in their language.

export const time = (iso: string | null | undefined): string => (iso ? clock(new Date(iso)) : '–')

export const dateTime = (iso: string | null | undefined): string =>
  iso ? dayAndClock(new Date(iso), t('months'), new Date()) : '–'

/** The day alone, where the time of day says nothing. */
export const dayText = (iso: string | null | undefined): string => dateTime(iso).replace(/, [\d:]+$/, '')

/** `5 min ago`; empty: long ago, or never. */
export function ago(iso: string | null | undefined): string {
  const found = iso ? agoOf(Math.max(0, serverNow() - Date.parse(iso))) : undefined
  return found === undefined ? '' : t(`ago.${found.unit}`, { count: found.count })
}

const zoneFormat = () => new Intl.DateTimeFormat(language.value === 'sw' ? 'sw-KE' : 'en-GB', { timeZoneName: 'short' })

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

export const money = (text: string | null | undefined): string => (text ? shillings(Number(text)) : '–')

export const count = (value: number): string => grouped(value, { most: 3 })

/** A measured value: two digits after the point say enough. */
export const figure = (value: number): string => grouped(value, { most: 2 })

export const length = (seconds: number | null | undefined): string => {
  if (seconds === null || seconds === undefined) return '–'
  const whole = Math.round(seconds)
  const rest = String(whole % 60).padStart(2, '0')
  const hours = Math.floor(whole / 3600)
  return hours > 0
    ? `${hours}:${String(Math.floor(whole / 60) % 60).padStart(2, '0')}:${rest}`
    : `${Math.floor(whole / 60)}:${rest}`
}

/** Of what may be short: under ten seconds with the tenths, under one with the hundredths. */
export const shortLength = (seconds: number | null | undefined): string =>
  typeof seconds === 'number' && seconds < 9.95
    ? `${grouped(seconds, { least: 1, most: seconds < 1 ? 2 : 1 })} s`
    : length(seconds)

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
