import { shortenedTags } from './language-tag.ts'

/** Which voice speaks: what the engine calls it, and what could not be honoured. */
interface ChosenVoice {
  /** As espeak-ng's `-v` takes it; always from its own list, never the document's text. */
  readonly name: string
  readonly unknownVoice?: string
}

export const defaultVoice = 'en-gb'

/** Names that people bring along, by what they mean here: a language, or a way to speak any language. */
const aliases: Readonly<Record<string, string>> = {
  en: 'en-gb',
  english: 'en-gb',
  'en-uk': 'en-gb',
  'en-ke': 'en-gb',
  'en-tz': 'en-gb',
  'en-ug': 'en-gb',
  kiswahili: 'sw',
  swahili: 'sw',
}

/** Generic names without a language: the language's voice in espeak-ng's female or male variant. */
const variants: ReadonlyMap<string, string> = new Map([
  ['default', ''],
  ['man', ''],
  ['male', ''],
  ['woman', '+f3'],
  ['female', '+f3'],
  ['alice', '+f3'],
])

/** Ways to speak that espeak-ng itself has, after a voice's name: `en-us+f3`. */
const namedVariant = /^(.+)\+([fm][1-5]|m[6-8]|croak|klatt|whisperf?)$/

/** The voices of an engine, by language code and by name. */
export class VoiceList {
  readonly #names: ReadonlyMap<string, string>
  readonly #files: ReadonlyMap<string, string>

  /** `names`: language code and name → what `-v` takes; `files`: that → its file. */
  constructor(names: ReadonlyMap<string, string>, files: ReadonlyMap<string, string> = new Map()) {
    this.#names = names
    this.#files = files
  }

  /**
   * Reads what `espeak-ng --voices` prints: priority, language, age/gender, name, file, other languages. Voices of
   * MBROLA need files that are seldom there; variants are no voices.
   */
  static fromListing(listing: string): VoiceList {
    const names = new Map<string, string>()
    const files = new Map<string, string>()
    /** What voices speak besides their own language, the most willing first. */
    const others: [language: string, unwillingness: number, spoken: string][] = []
    for (const line of listing.split('\n').slice(1)) {
      const [, language, , name, file] = line.trim().split(/\s+/)
      if (language === undefined || name === undefined || file === undefined) continue
      if (file.startsWith('mb/') || file.startsWith('!v/') || !/^[a-z0-9-]{2,32}$/i.test(language)) continue
      const spoken = language.toLowerCase()
      for (const key of [spoken, keyOf(name)]) if (!names.has(key)) names.set(key, spoken)
      for (const [, other = '', priority] of line.matchAll(/\(([a-z0-9-]{2,32}) (\d+)\)/gi))
        others.push([other.toLowerCase(), Number(priority), spoken])
      if (!files.has(spoken) && /^[a-z0-9-]+\/[a-z0-9-]+$/i.test(file)) files.set(spoken, file)
    }
    for (const [other, , spoken] of others.sort((a, b) => a[1] - b[1])) if (!names.has(other)) names.set(other, spoken)
    return new VoiceList(names, files)
  }

  get size(): number {
    return this.#names.size
  }

  choose(voice: string | undefined, language: string | undefined): ChosenVoice {
    const spoken = language === undefined ? undefined : this.#find(language)
    const base = spoken ?? this.#find(defaultVoice) ?? defaultVoice
    if (voice === undefined) {
      return language !== undefined && spoken === undefined ? { name: base, unknownVoice: language } : { name: base }
    }
    const variant = variants.get(keyOf(voice))
    if (variant !== undefined) return { name: variant === '' ? base : this.#varied(base, variant) }
    const [, plain = voice, ownVariant] = namedVariant.exec(keyOf(voice)) ?? []
    const named = plain.includes('+') ? undefined : this.#find(plain)
    if (named === undefined) return { name: base, unknownVoice: voice }
    return { name: ownVariant === undefined ? named : this.#varied(named, `+${ownVariant}`) }
  }

  /** espeak-ng 1.51 ignores a variant after `en-gb`, whose file has another name; after the file's it does not. */
  #varied(name: string, variant: string): string {
    return (this.#files.get(name) ?? name) + variant
  }

  /** `sw-KE` speaks as `sw` where there is nothing nearer. */
  #find(name: string): string | undefined {
    for (const key of shortenedTags(keyOf(name))) {
      const alias = Object.hasOwn(aliases, key) ? aliases[key] : undefined
      const found = this.#names.get(key) ?? (alias === undefined ? undefined : this.#names.get(alias))
      if (found !== undefined) return found
    }
    return undefined
  }
}

/** `English_(America)`, `english (america)` and `en_US` are looked up alike. */
const keyOf = (name: string): string => {
  const key = name.trim().toLowerCase()
  return /^[a-z]{2,3}_[a-z0-9_]+$/.test(key) ? key.replaceAll('_', '-') : key.replaceAll(' ', '_')
}
