import type { FastifyRequest } from 'fastify'

/** Languages of the pages that the switch writes. */
export const languages = ['en', 'sw'] as const
export type Language = (typeof languages)[number]

const isLanguage = (text: string): text is Language => (languages as readonly string[]).includes(text)

/** The one that an address names, else what the browser prefers of them (RFC 9110 §12.5.4), else English. */
export function languageOf(named: string | undefined, { headers }: Pick<FastifyRequest, 'headers'>): Language {
  if (named !== undefined && isLanguage(named)) return named
  let best: { readonly language: Language; readonly weight: number } = { language: 'en', weight: 0 }
  for (const range of (headers['accept-language'] ?? '').split(',')) {
    const [tag = '', ...parameters] = range.trim().toLowerCase().split(';')
    const [language = ''] = tag.split('-')
    const weight = Number(/^\s*q=([\d.]+)\s*$/.exec(parameters[0] ?? '')?.[1] ?? 1)
    // Of equal weights the first counts, as browsers list them.
    if (isLanguage(language) && weight > best.weight) best = { language, weight }
  }
  return best.language
}
