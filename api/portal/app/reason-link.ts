import { language } from './texts/index.ts'

/** What a reason of its own page says, in the words of the switch. */
export const reasonPage = (code: string): string => `/docs/reasons#${code}`

/** A link to that page, in the language of this one. */
export const inLanguage = (link: string): string => link.replace('#', `?lang=${language.value}#`)
