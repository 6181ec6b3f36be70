/** What the switch's sentence about an end names of the call, each found by its place in the sentence. */
const patterns: readonly (readonly [pattern: RegExp, fact: (...found: string[]) => string])[] = [
  [/(https?:\/\/\S+?)(?=[,:.]?\s|[,:.]?$)/, url => url],
  [/(\+\d{5,})/, number => number],
  // An end-user, a SIP address, or a number that is not in E.164.
  [/^(?!The |One |There |http|\+)(\S+) (?:is|did|does|has|rejected|refused|could|hung|was|offers)\b/, name => name],
  [
    /(?: declined by| softphone of| call to|^Calls to| came from) (?!this|the |one |\+)(\S+?)(?=[.:]?\s|[.:]?$)/,
    name => name,
  ],
  [/ failed \((.*)\), so the fallback ran/s, detail => detail],
  [/^There is no document for the call: \S+ \((.*)\)\.$/s, detail => detail],
  [/\bline (\d+), column (\d+): (.*?)\.(?: The fallback ran\.)?$/s, placeOf],
  [/ (?:offers|was offered) only ([^.]+)\./, codecs => `kodeki: ${codecs}`],
  [/ It answered (.*)\.$/, response => `jibu: ${response}`],
]

function placeOf(line = '', column = '', message = ''): string {
  return `mstari wa ${line}, safu ya ${column}: ${message}`
}

/** In Kiswahili: what a reason's own text does not know of this call. */
export const endFacts = (sentence: string): readonly string[] =>
  patterns.flatMap(([pattern, fact]) => {
    const found = pattern.exec(sentence)
    return found === null || found[1] === undefined ? [] : [fact(...found.slice(1))]
  })
