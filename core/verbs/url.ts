import type { UrlProblem } from './problem-sentences.ts'

/** Characters of a URL, as it is written in a document and as it is asked for. */
export const maxUrlLength = 2048

// Never asked for: only to try a relative reference.
const anyBase = 'http://document.invalid/'

const control = /[\u0000-\u0020\u007f]/
const isWebUrl = /^https?:\/\//i

/** What is wrong with a URL of a document, absolute or relative; undefined when it is good. */
export function urlProblem(reference: string): UrlProblem | undefined {
  if (reference === '') return 'it is empty'
  if (reference.length > maxUrlLength) return `it is longer than ${maxUrlLength} characters`
  // The URL parser silently drops tabs and line breaks; a URL that contains them is a mistake.
  if (control.test(reference)) return 'it holds white space or control characters'
  if (isWebUrl.test(reference)) return URL.canParse(reference, anyBase) ? undefined : 'it cannot be read'
  const url = URL.parse(reference, anyBase)
  if (url === null) return 'it cannot be read'
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'only http and https are allowed'
  return undefined
}

/**
 * Where a document's URL leads, undefined when it is no http(s) URL, or too long. One that is absolute stays as it is written:
 * the signature covers the URL as it was configured, for documents as for callbacks.
 */
export function resolveUrl(reference: string, documentUrl: string): string | undefined {
  if (urlProblem(reference) !== undefined) return undefined
  // `http:page` is relative to a document of the same scheme.
  if (isWebUrl.test(reference)) return reference
  const url = URL.parse(reference, documentUrl)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined
  // A relative reference keeps the folders before it, and each letter outside of ASCII takes up to nine characters:
  // a document that refers to itself would grow its own URL without end.
  return url.href.length > maxUrlLength ? undefined : url.href
}

/** As events carry it: one document may make twenty of them. */
export const shownUrl = (url: string): string => url.slice(0, 256)
