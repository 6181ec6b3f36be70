import { holdsPlaceholder } from '../documents/placeholders.ts'
import type { EndReason } from '../model/end-reason.ts'
import { Attributes } from './attributes.ts'
import { decodeUtf8 } from './decode.ts'
import { type DocumentRules, type Problem, ProblemList, quoted } from './problem.ts'
import type { ProblemSentence } from './problem-sentences.ts'
import { vocabulary } from './registry.ts'
import type { ParsedVerb } from './verb.ts'
import { type Element, parseXml, squeezed } from './xml.ts'

export const maxDocumentBytes = 64 * 1024
export const maxVerbs = 1000

const rootName = 'Response'

export type ParsedDocument =
  | {
      readonly ok: true
      /** What can run, in order; verbs that never can are left out. */
      readonly verbs: readonly ParsedVerb[]
      /** `<Response/>` without anything in it, which refuses an unanswered call. */
      readonly isEmpty: boolean
      readonly problems: readonly Problem[]
    }
  /** The fallback is to run, and `reason` is why the call ends. */
  | { readonly ok: false; readonly reason: EndReason; readonly problems: readonly Problem[] }

/** A verb document (docs/verbs.md). Never throws; the same bytes always give the same. */
export function parseDocument(bytes: Uint8Array, rules: DocumentRules = {}): ParsedDocument {
  if (bytes.length > maxDocumentBytes) {
    const message: ProblemSentence = `the document is larger than ${maxDocumentBytes / 1024} KB`
    return { ok: false, reason: 'END.3413', problems: [{ line: 1, column: 1, code: 'DOC.0413', message }] }
  }
  const decoded = decodeUtf8(bytes)
  if (!decoded.ok) return invalid([decoded.problem])
  const xml = parseXml(decoded.text, maxVerbs)
  if (!xml.ok) return invalid([xml.problem])
  const { root, encoding } = xml
  // Frameworks write the encoding of their strings here; where every byte is ASCII it makes no difference.
  if (encoding !== undefined && !/^(utf-?8|us-ascii)$/i.test(encoding) && !decoded.onlyAscii) {
    return malformed({ line: 1, column: 1 }, `the document declares ${quoted(encoding)}; only UTF-8 is taken`)
  }
  if (root.name !== rootName) return malformed(root, `the root is <${root.name}>; it must be <${rootName}>`)
  return readVerbs(root, rules)
}

/**
 * What the portal and `/documents/check` report. `valid`: the document would run, rather than the fallback. A value with a
 * placeholder in it is no problem yet: only a call fills it.
 */
export function checkDocument(
  bytes: Uint8Array,
  rules: DocumentRules = {},
): { readonly valid: boolean; readonly problems: readonly Problem[] } {
  const parsed = parseDocument(bytes, rules)
  const isKnown = ({ code, message }: Problem) => code !== 'DOC.0422' || !holdsPlaceholder(message)
  return { valid: parsed.ok, problems: parsed.problems.filter(isKnown) }
}

const invalid = (problems: readonly Problem[]): ParsedDocument => ({ ok: false, reason: 'END.3422', problems })

const malformed = (at: { line: number; column: number }, message: ProblemSentence): ParsedDocument =>
  invalid([{ line: at.line, column: at.column, code: 'DOC.0400', message }])

function readVerbs(root: Element, rules: DocumentRules): ParsedDocument {
  const problems = new ProblemList(rules)
  const rootAttributes = new Attributes(root, problems)
  rootAttributes.noteUnknown()
  const elements = root.children.filter(child => typeof child !== 'string')
  const text = squeezed(root.children.filter(child => typeof child === 'string').join(' '))
  if (text !== '') problems.add(root, `text ${quoted(text)} outside of a verb is ignored`)
  const verbs: ParsedVerb[] = []
  let knownVerbs = 0
  let last: ParsedVerb | undefined
  let afterLast: Element | undefined
  for (const element of elements) {
    const module = vocabulary.get(element.name)
    if (module === undefined) {
      problems.add(element, `${quoted(element.name)} is no verb; it is skipped`)
      continue
    }
    knownVerbs++
    const attributes = new Attributes(element, problems)
    const verb = module.parse({ element, attributes, problems })
    attributes.noteUnknown()
    if (last !== undefined) {
      afterLast ??= element
      continue
    }
    if (verb === undefined) continue
    verbs.push({ ...verb, line: element.line, column: element.column })
    if (verb.isLast) last = verb
  }
  if (last !== undefined && afterLast !== undefined) {
    problems.add(afterLast, `nothing after <${last.name}> runs`, 'DOC.0204')
  }
  if (elements.length > 0 && knownVerbs === 0) return invalid(problems.list())
  return { ok: true, verbs, isEmpty: elements.length === 0, problems: problems.list() }
}
