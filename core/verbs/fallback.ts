import type { EventCode } from '../events/catalogue.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { FetchFault } from '../ports/documents.ts'
import { play } from './play.ts'
import type { ProgramContext } from './program.ts'
import { maxSayCharacters, say } from './say.ts'
import { type ParsedVerb, ready } from './verb.ts'

/** What a failed request means: the event that reports it and the reason with which the call will end. */
export const fetchFaults: Readonly<Record<FetchFault, { readonly code: EventCode; readonly reason: EndReason }>> = {
  'not-found': { code: 'DOC.0404', reason: 'END.3404' },
  timeout: { code: 'DOC.0408', reason: 'END.3408' },
  'too-large': { code: 'DOC.0413', reason: 'END.3413' },
  status: { code: 'DOC.0502', reason: 'END.3502' },
  transport: { code: 'DOC.0502', reason: 'END.3502' },
  'refused-address': { code: 'DOC.0502', reason: 'END.3502' },
}

/** The account's fallback as verbs; the call ends after them. None: it is dropped. */
export function fallbackVerbs(context: ProgramContext): readonly ParsedVerb[] {
  const value = context.fallbackValue.trim()
  if (value === '') return []
  switch (context.fallbackMode) {
    case 'message':
      return [ready(say, { speech: { text: [...value].slice(0, maxSayCharacters).join('') }, loop: 1 })]
    case 'play':
      return [ready(play, { source: { url: value }, loop: 1, digits: '' })]
    case 'drop':
      return []
  }
}
