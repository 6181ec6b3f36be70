/** What a sentence about an end names of the call. */
interface EndFact {
  readonly text: string
  /** What follows it and has no text in Kiswahili. */
  readonly english?: string
}

const named = (name: string): EndFact => ({ text: name })
const inEnglish = (detail: string): EndFact => ({ text: '', english: detail })

const placeOf = (line = '', column = '', message = ''): EndFact => ({
  text: `mstari wa ${line}, safu ya ${column}: `,
  english: message,
})

/** Each fact is found by its place in the switch's sentence. */
const patterns: readonly (readonly [pattern: RegExp, fact: (...found: string[]) => EndFact])[] = [
  [/(https?:\/\/\S+?)(?=[,:.]?\s|[,:.]?$)/, named],
  [/ in line (\d+), column (\d+) of /, (line = '', column = '') => named(`mstari wa ${line}, safu ya ${column}`)],
  [/^There is no asset (".*?"),/, named],
  [/^The (?:asset|voice) (".*?") /, named],
  [/^("(?:[^"\\]|\\.)*") was not spoken/, inEnglish],
  [/ (?:could not|cannot) be played.*?: (?!\/\/)(.*)\.$/s, inEnglish],
  [/(\+\d{5,})/, named],
  [/^\S+ and (\+\d{5,}) dial each other:/, named],
  // An end-user, a SIP address, or a number that is not in E.164.
  [/^(?!The |One |There |http|\+|")(\S+) (?:is|did|dials|does|has|rejected|refused|could|hung|was|offers)\b/, named],
  [/(?: declined by| softphone of| call to|^Calls to| came from) (?!this|the |one |\+)(\S+?)(?=[.:]?\s|[.:]?$)/, named],
  [/ failed \((.*)\), so the fallback ran/s, inEnglish],
  [/^There is no document for the call: \S+ \((.*)\)\.$/s, inEnglish],
  [/\bline (\d+), column (\d+): (.*?)\.(?: The fallback ran\.)?$/s, placeOf],
  [/ (?:offers|was offered) only ([^.]+)\./, codecs => named(`kodeki: ${codecs}`)],
  [/: (Q\.850 cause \d+(?:, [\w -]+)?)\.$/, inEnglish],
  [/ It answered (.*)\.$/, response => ({ text: 'jibu: ', english: response })],
]

/**
 * In Kiswahili: what a reason's own text does not know of this call. `problemText`: the Kiswahili text of a problem in a
 * document, undefined where there is none.
 */
export function endFacts(
  sentence: string,
  problemText: (message: string) => string | undefined = () => undefined,
): readonly EndFact[] {
  return patterns.flatMap(([pattern, fact]) => {
    const found = pattern.exec(sentence)
    if (found?.[1] === undefined) return []
    const { text, english } = fact(...found.slice(1))
    if (english === undefined) return [{ text }]
    const own = problemText(english)
    return [own === undefined ? { text, english } : { text: text + own }]
  })
}
