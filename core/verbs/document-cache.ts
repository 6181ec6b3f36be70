import { TextCache } from '../model/text-cache.ts'
import { decodeUtf8 } from './decode.ts'
import { maxDocumentBytes, type ParsedDocument, parseDocument } from './document.ts'
import type { DocumentRules } from './problem.ts'

/** Bounds of what is kept: what was read takes up to some fifty times the bytes of its text. */
const [mostDocuments, mostBytes] = [64, 256 * 1024]

interface Kept {
  readonly length: number
  readonly document: ParsedDocument
}

/**
 * Documents that many calls get, read once for all of them. What is read never changes: a call that runs it keeps its state
 * elsewhere.
 */
export class DocumentCache {
  readonly #kept = new TextCache<Kept>(mostDocuments, mostBytes)

  /** Documents that are kept. */
  get size(): number {
    return this.#kept.count
  }

  /** What `parseDocument` gives. */
  parse(bytes: Uint8Array, rules: DocumentRules = {}): ParsedDocument {
    const decoded = decodeUtf8(bytes)
    if (!decoded.ok || bytes.length > maxDocumentBytes) return parseDocument(bytes, rules)
    const kept = this.#kept.get(decoded.text)
    // With a byte-order mark, the same text has other bytes, and the encoding that it declares another meaning.
    if (kept?.length === bytes.length) return kept.document
    // What the switch says of a SIP URI changes with its trunks and addresses.
    let dependsOnRules = false
    const document = parseDocument(bytes, {
      refusesSip: uri => {
        dependsOnRules = true
        return rules.refusesSip?.(uri) === true
      },
    })
    if (!dependsOnRules) this.#kept.set(decoded.text, { length: bytes.length, document }, bytes.length)
    return document
  }
}
