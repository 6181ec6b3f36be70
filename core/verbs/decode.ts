import type { Problem } from './problem.ts'
import type { ProblemSentence } from './problem-sentences.ts'

export type Decoded =
  | { readonly ok: true; readonly text: string; readonly onlyAscii: boolean }
  | { readonly ok: false; readonly problem: Problem }

const strict = new TextDecoder('utf-8', { fatal: true })

/** The bytes of a document as text: UTF-8 (RFC 3629) and nothing else, a byte-order mark dropped. */
export function decodeUtf8(bytes: Uint8Array): Decoded {
  if (isUtf16(bytes)) return refused(1, 1, 'the document is UTF-16; only UTF-8 is taken')
  try {
    const text = strict.decode(bytes)
    return { ok: true, text, onlyAscii: text.length === bytes.length }
  } catch {
    return locateFault(bytes)
  }
}

const refused = (line: number, column: number, message: ProblemSentence): Decoded => ({
  ok: false,
  problem: { line, column, code: 'DOC.0400', message },
})

// A mark, or a "<" or space whose other half is NUL, is how UTF-16 begins.
const isUtf16 = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) ||
  (bytes[0] === 0xfe && bytes[1] === 0xff) ||
  (bytes[0] === 0 && bytes[1] === 0x3c) ||
  (bytes[0] === 0x3c && bytes[1] === 0)

/** A line feed is never part of a longer UTF-8 sequence, so each line can be tried by itself. */
function locateFault(bytes: Uint8Array): Decoded {
  for (let line = 1, from = 0; from <= bytes.length; line++) {
    const feed = bytes.indexOf(0x0a, from)
    const part = bytes.subarray(from, feed === -1 ? bytes.length : feed)
    try {
      strict.decode(part)
    } catch {
      const column = new TextDecoder().decode(part).indexOf('\ufffd') + 1
      return refused(line, column, 'the document is not valid UTF-8')
    }
    if (feed === -1) break
    from = feed + 1
  }
  return refused(1, 1, 'the document is not valid UTF-8')
}
