export { checkDocument, maxDocumentBytes, maxVerbs, type ParsedDocument, parseDocument } from './document.ts'
export { Interpreter, type InterpreterOptions, maxSilentDocuments } from './interpreter.ts'
export type { Problem } from './problem.ts'
export type {
  DialChild,
  DialRequest,
  ProgramCommand,
  ProgramContext,
  ProgramEvent,
  RecordOptions,
  SessionRecordOptions,
  SessionRecordOrder,
} from './program.ts'
