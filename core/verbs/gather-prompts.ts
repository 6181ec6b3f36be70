import { Attributes } from './attributes.ts'
import { pause } from './pause.ts'
import { play } from './play.ts'
import { type ProblemList, quoted } from './problem.ts'
import { say } from './say.ts'
import { known, type ParsedVerb } from './verb.ts'
import { type Element, squeezed } from './xml.ts'

const prompts = new Map([known(say), known(play), known(pause)].map(verb => [verb.name, verb]))

/** The verbs that a Gather may have as children. */
export const gatherPrompts: ReadonlySet<string> = new Set(prompts.keys())

/** What is played while digits are collected: Say, Play and Pause, in order. Anything else is noted and left out. */
export function readPrompts(gather: Element, problems: ProblemList): readonly ParsedVerb[] {
  const verbs: ParsedVerb[] = []
  const text = squeezed(gather.children.filter(child => typeof child === 'string').join(' '))
  if (text !== '') problems.add(gather, `<Gather> text ${quoted(text)} outside of Say is ignored`)
  for (const element of gather.children) {
    if (typeof element === 'string') continue
    const module = prompts.get(element.name)
    if (module === undefined) {
      problems.add(element, `<Gather> has no child ${quoted(element.name)}; it is ignored`)
      continue
    }
    const attributes = new Attributes(element, problems)
    const verb = module.parse({ element, attributes, problems })
    attributes.noteUnknown()
    if (verb !== undefined) verbs.push(verb)
  }
  return verbs
}
