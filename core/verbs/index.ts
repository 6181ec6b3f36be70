/** The verb documents: what they mean (`parseDocument`), how they run (`Interpreter`), what each verb is for (`vocabulary`). */

export { dialNouns } from './dial-children.ts'
export { checkDocument, maxDocumentBytes, parseDocument } from './document.ts'
export { DocumentCache } from './document-cache.ts'
export { fetchFaults } from './fallback.ts'
export { gatherPrompts } from './gather-prompts.ts'
export { Interpreter } from './interpreter.ts'
export type { DocumentRules, Problem } from './problem.ts'
export type {
  BegunVerb,
  ConferenceOrder,
  DialChild,
  DialRequest,
  ProgramCommand,
  ProgramContext,
  ProgramEvent,
  RecordOptions,
  SessionRecordOptions,
  SessionRecordOrder,
  SoundCommand,
} from './program.ts'
export { vocabulary } from './registry.ts'
