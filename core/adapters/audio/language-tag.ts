/** Made for the first tag that has one: it reads tables of ICU, which takes a fortieth of the time of a start. */
const displayNames = new Map<'script' | 'region', Intl.DisplayNames>()

function isNamed(type: 'script' | 'region', code: string): boolean {
  const names = displayNames.get(type) ?? new Intl.DisplayNames('en', { type, fallback: 'none' })
  displayNames.set(type, names)
  return names.of(code) !== undefined
}

/** Variants of RFC 5646 §2.2.5 in use; those that begin with a digit (`1996`) are known by their form. */
const variants: ReadonlySet<string> = new Set([
  ...['biske', 'fonipa', 'monoton', 'nedis', 'oxendict', 'pinyin', 'polyton', 'rozaj', 'scotland', 'scouse'],
  ...['tarask', 'unifon', 'valencia', 'wadegile'],
])

const isPart = (part: string): boolean => {
  if (/^[a-z]{4}$/.test(part)) return isNamed('script', `${part.slice(0, 1).toUpperCase()}${part.slice(1)}`)
  if (/^(?:[a-z]{2}|\d{3})$/.test(part)) return isNamed('region', part.toUpperCase())
  return variants.has(part) || /^\d[a-z\d]{3,7}$/.test(part)
}

/**
 * The tag and what it may be shortened to, the longest first (RFC 4647 §3.4): `sw-ke`, `sw`. Takes lower case with hyphens.
 * A name that only begins like a tag (`my-voice`, `no-such-voice-xyz`) is never shortened: it names no language.
 */
export function shortenedTags(tag: string): readonly string[] {
  // Extensions and private use say nothing of the language (RFC 5646 §2.2.6, §2.2.7).
  const plain = tag.replace(/-[a-z\d]-[a-z\d].*$/, '')
  const [language = '', ...parts] = plain.split('-')
  // An extended language stands right after its language (§2.2.2): `zh-yue`.
  const rest = /^[a-z]{3}$/.test(parts[0] ?? '') ? parts.slice(1) : parts
  if (!/^[a-z]{2,3}$/.test(language) || !rest.every(isPart)) return [tag]
  const shorter = parts.map((_, index) => [language, ...parts.slice(0, parts.length - index)].join('-'))
  return [...new Set([tag, ...shorter, language])]
}
