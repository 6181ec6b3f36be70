/** Texts by the sentences of the switch; `{name}` of a sentence stands for a value, which the text names too. */
export type Texts = Readonly<Record<string, string>>

interface Pattern {
  readonly names: readonly string[]
  readonly shape: RegExp
  readonly text: string
}

const placeholder = /\{(\w+)\}/g

function patternOf(sentence: string, text: string): Pattern {
  const names = [...sentence.matchAll(placeholder)].map(([, name = '']) => name)
  const parts = sentence.split(/\{\w+\}/).map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return { names, shape: new RegExp(`^${parts.join('(.*?)')}$`, 's'), text }
}

/** How much of a sentence is its own, without values: `must be one of {choices}` is tried before `must be {value}`. */
const ownLength = (sentence: string): number => sentence.replace(placeholder, '').length

/**
 * Gives the text of what the switch has written; undefined: there is none. A value that is a text itself, as what is wrong
 * with a URL, is one of `values`; several are joined by "or".
 */
export function textsBy(sentences: Texts, values: Texts): (written: string) => string | undefined {
  const of = (texts: Texts) =>
    Object.entries(texts)
      .sort(([one], [other]) => ownLength(other) - ownLength(one))
      .map(([sentence, text]) => patternOf(sentence, text))
  const [whole, inner] = [of(sentences), of(values)]
  const find = (written: string, patterns: readonly Pattern[]): string | undefined => {
    for (const { names, shape, text } of patterns) {
      const found = shape.exec(written)
      if (found === null) continue
      const given = new Map(names.map((name, place) => [name, textOfValue(found[place + 1] ?? '')] as const))
      return text.replace(placeholder, (_whole, name: string) => given.get(name) ?? '')
    }
    return undefined
  }
  const textOfValue = (written: string): string =>
    find(written, inner) ??
    (alternatives.test(written)
      ? written
          .split(' or ')
          .map(one => find(one, inner) ?? one)
          .join(' au ')
      : written)
  return written => find(written, whole)
}

/** What is the user's own stands in quotes, or is no plain word. */
const alternatives = /^[\w-]+(?: or [\w-]+)+$/
