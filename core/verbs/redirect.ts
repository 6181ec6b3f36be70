import { quoted } from './problem.ts'
import { urlProblem } from './url.ts'
import type { VerbModule } from './verb.ts'
import { squeezed, textOf } from './xml.ts'

export interface Redirect {
  /** As written: absolute, or relative to the document. */
  readonly url: string
}

export const redirect: VerbModule<Redirect, never> = {
  name: 'Redirect',

  about: {
    summary: 'Asks for the next document with a signed POST of the fields of the call. No verb after it runs.',
    content: 'The URL, absolute or relative to the document.',
    attributes: {},
    example: '<Redirect>/menu?step=2</Redirect>',
  },

  parse({ element, problems }) {
    const url = squeezed(textOf(element))
    const problem = urlProblem(url)
    if (problem === undefined) return { url }
    problems.add(element, `<Redirect> ${quoted(url)} is skipped: ${problem}`)
    return undefined
  },

  isLast: () => true,
  start: verb => ({ next: 'document', url: verb.url, extras: {} }),
  on: () => undefined,
}
