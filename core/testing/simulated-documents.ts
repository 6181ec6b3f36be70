import { callContext, functionBase } from '../document-builder/call-handler.ts'
import type { DocumentEvent, DocumentFetch } from '../ports/documents.ts'
import { maxDocumentBytes } from '../verbs/index.ts'
import type { DocumentSource, SimulationOptions } from './options.ts'

/** Answers requests for documents from what a test has given: texts, built documents, functions. */
export class SimulatedDocuments {
  readonly #documents: SimulationOptions['documents']

  constructor(documents: SimulationOptions['documents']) {
    this.#documents = documents
  }

  /** Never rejects: a function that throws is a server that answers 500. */
  async answer({ callId, requestId, url, fields }: DocumentFetch): Promise<DocumentEvent> {
    const failed = (fault: 'status' | 'too-large', detail: string): DocumentEvent => ({
      type: 'document.failed',
      callId,
      requestId,
      fault,
      detail,
    })
    try {
      const source = this.#sourceOf(url)
      const answer = typeof source === 'function' ? await source(callContext(url, fields)) : source
      if (answer === undefined) return failed('status', `no document for ${url}`)
      const bytes = new TextEncoder().encode(String(answer))
      if (bytes.length > maxDocumentBytes) return failed('too-large', `more than ${maxDocumentBytes} bytes`)
      return { type: 'document.fetched', callId, requestId, bytes }
    } catch (fault) {
      return failed('status', fault instanceof Error ? fault.message : String(fault))
    }
  }

  #sourceOf(url: string): DocumentSource | undefined {
    const documents = this.#documents
    if (typeof documents === 'string' || typeof documents === 'function') return documents
    if (isBuilt(documents)) return documents
    const { pathname, search } = new URL(url)
    const path = url.startsWith(functionBase) ? pathname : undefined
    const names = [url, ...(path === undefined ? [] : [`${path}${search}`, path])]
    const name = names.find(candidate => Object.hasOwn(documents, candidate))
    return name === undefined ? undefined : documents[name]
  }
}

const isBuilt = (documents: SimulationOptions['documents']): documents is Exclude<DocumentSource, string> =>
  typeof documents === 'object' && 'markup' in documents && typeof documents.markup === 'function'
