import { signal } from '@preact/signals'
import { type Catalogue, type Explained, en, type Reason, type TextKey } from './en.ts'
import { sw } from './sw.ts'
import { swReasons } from './sw-reasons.ts'

export type { TextKey }
export type Language = 'en' | 'sw'

const catalogues: Readonly<Record<Language, Catalogue>> = { en, sw }

const stored = (): Language => {
  const chosen = localStorage.getItem('language')
  if (chosen === 'en' || chosen === 'sw') return chosen
  return navigator.language.startsWith('sw') ? 'sw' : 'en'
}

export const language = signal<Language>(stored())

export function speak(chosen: Language): void {
  localStorage.setItem('language', chosen)
  language.value = chosen
  document.documentElement.lang = chosen
}

export function t(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  return catalogues[language.value][key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
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
  if (language.value !== 'sw' || !(code in swReasons)) return undefined
  const { why, advice, cases = [] } = swReasons[code as Explained]
  const [, caseWhy = why, caseAdvice = advice] = cases.find(([pattern]) => pattern.test(sentence)) ?? []
  return { why: caseWhy, advice: caseAdvice }
}
