import { signal } from '@preact/signals'
import { type Catalogue, type Explained, en, type Reason, type TextKey } from './en.ts'

export type { TextKey }
export type Language = 'en' | 'sw'

/** Loaded where it is spoken: it would be a quarter of the first load. */
let kiswahili: typeof import('./kiswahili.ts') | undefined

/** Kiswahili once its texts are there. */
export const language = signal<Language>('en')
/** What was asked for last. */
let chosen: Language = 'en'

async function use(asked: Language): Promise<void> {
  chosen = asked
  if (asked === 'sw') kiswahili ??= await import('./kiswahili.ts')
  // Another one was chosen meanwhile.
  if (chosen !== asked) return
  language.value = asked
  document.documentElement.lang = asked
}

/** Nothing is shown before, so that no page begins in another language. Without its texts the page is English. */
export const begun: Promise<void> = use(document.documentElement.lang === 'sw' ? 'sw' : 'en').catch(() => use('en'))

export async function speak(asked: Language): Promise<void> {
  localStorage.setItem('language', asked)
  await use(asked).catch(() => {
    throw new Error(t('pageNotLoadedWhy'))
  })
}

const catalogue = (): Catalogue => (language.value === 'sw' ? kiswahili?.sw : undefined) ?? en

const turning = /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/
/** What is written from right to left turns nothing round it (UAX #9 §2.4.2). */
const isolated = (value: string | number | undefined): string => {
  const text = String(value)
  return turning.test(text) ? `\u2068${text.replace(/[\u2066-\u2069]/g, '')}\u2069` : text
}

export function t(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  return catalogue()[key].replace(/\{(\w+)\}/g, (whole, name: string) => isolated(values[name] ?? whole))
}

/** Words of the API that have a text, else as they are: `word('status', 'active')`. */
export function word(kind: string, value: string): string {
  const key = `${kind}.${value}`
  return key in en ? t(key as TextKey) : value
}

/** All reasons with which a call can end, for a choice among them. */
export const reasonCodes: readonly Reason[] = Object.keys(en).flatMap(key =>
  key.startsWith('end.END.') ? [key.slice('end.'.length) as Reason] : [],
)

/**
 * Why a call ended in the chosen language, where that is not the language of the switch's own `sentence`; undefined where that
 * sentence is all there is.
 */
export function reasonText(
  code: string,
  sentence: string,
): { readonly why: string; readonly advice: string } | undefined {
  const reasons = language.value === 'sw' ? kiswahili?.swReasons : undefined
  if (reasons === undefined || !(code in reasons)) return undefined
  const { why, advice, cases = [] } = reasons[code as Explained]
  const [, caseWhy = why, caseAdvice = advice] = cases.find(([pattern]) => pattern.test(sentence)) ?? []
  return { why: caseWhy, advice: caseAdvice }
}
