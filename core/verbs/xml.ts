import { SaxesParser } from 'saxes'
import type { Position, Problem } from './problem.ts'
import type { XmlProblem } from './problem-sentences.ts'

/** An element of a verb document; text stands between its child elements as it was written. */
export interface Element extends Position {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly (Element | string)[]
}

export const maxDepth = 32
export const maxAttributes = 64
/** Each takes microseconds, with what is read of it: 64 KB could hold sixteen thousand. */
export const maxElements = 4000

type ParsedXml =
  | { readonly ok: true; readonly root: Element; readonly encoding: string | undefined }
  | { readonly ok: false; readonly problem: Problem }

interface Growing extends Position {
  readonly name: string
  readonly attributes: Map<string, string>
  readonly children: (Element | string)[]
}

/** What the parser itself says: a text of saxes. */
type ParserSentence = string & { readonly isOfParser: true }

const parserSentence = (message: string): ParserSentence =>
  message.replace(/^\d+:\d+: /, '').replace(/\.$/, '') as ParserSentence

const faultAt = (at: Position, message: XmlProblem): { readonly ok: false; readonly problem: Problem } => ({
  ok: false,
  problem: { line: at.line, column: at.column, code: 'DOC.0400', message },
})

/** What stops the parser at the first fault; never leaves this file. */
class XmlFault extends Error {
  readonly at: Position

  constructor(at: Position, message: XmlProblem | ParserSentence) {
    super(message)
    this.at = at
  }
}

/**
 * `maxInRoot`: elements that the root may hold, the verbs.
 * XML 1.0 without DOCTYPE, and so without entities but XML's five. The parser keeps no names and no values in plain
 * objects of ours, so that an attribute called `__proto__` is only an attribute.
 */
export function parseXml(source: string, maxInRoot = maxElements): ParsedXml {
  // White space before the prolog is tolerated; the lines it takes still count.
  const text = source.trimStart()
  const place = placer(source, source.length - text.length)
  if (text === '') return faultAt({ line: 1, column: 1 }, 'the document is empty')

  // With xmlns on, saxes is quadratic in depth.
  const parser = new SaxesParser({ xmlns: false, position: true })
  const open: Growing[] = []
  let root: Growing | undefined
  let encoding: string | undefined
  let next: Growing | undefined
  let elements = 0
  let inRoot = 0
  const here = () => place(Math.max(0, parser.position - 1))

  parser.on('error', error => {
    throw new XmlFault(here(), parserSentence(error.message))
  })
  parser.on('xmldecl', declaration => {
    encoding = declaration.encoding
  })
  parser.on('doctype', () => {
    throw new XmlFault(here(), 'a document type declaration is not allowed')
  })
  parser.on('opentagstart', tag => {
    if (open.length >= maxDepth) throw new XmlFault(here(), `elements are nested more than ${maxDepth} deep`)
    const at = place(text.lastIndexOf('<', parser.position - 1))
    // At once: nothing after it can be valid.
    if (open.length === 1 && ++inRoot > maxInRoot)
      throw new XmlFault(at, `the document holds more than ${maxInRoot} verbs`)
    if (++elements > maxElements) throw new XmlFault(at, `the document holds more than ${maxElements} elements`)
    next = { name: tag.name, attributes: new Map(), children: [], line: at.line, column: at.column }
  })
  parser.on('attribute', ({ name, value }) => {
    if (next === undefined) return
    if (next.attributes.has(name)) throw new XmlFault(here(), `attribute ${name} stands twice`)
    if (next.attributes.size >= maxAttributes) {
      throw new XmlFault(here(), `an element has more than ${maxAttributes} attributes`)
    }
    next.attributes.set(name, value)
  })
  parser.on('opentag', () => {
    if (next === undefined) return
    const parent = open.at(-1)
    if (parent === undefined) root ??= next
    else parent.children.push(next)
    open.push(next)
  })
  parser.on('closetag', () => {
    open.pop()
  })
  const addText = (piece: string) => {
    open.at(-1)?.children.push(piece)
  }
  parser.on('text', addText)
  parser.on('cdata', addText)

  try {
    parser.write(text).close()
  } catch (error) {
    if (!(error instanceof XmlFault)) throw error
    return { ok: false, problem: { ...error.at, code: 'DOC.0400', message: error.message } }
  }
  if (root === undefined) return faultAt(here(), 'no root element')
  return { ok: true, root, encoding }
}

/** Turns an offset after the leading white space into line and column of the whole source. */
function placer(source: string, skipped: number): (offset: number) => Position {
  const starts = [0]
  for (const feed of source.matchAll(/\r\n?|\n/g)) starts.push(feed.index + feed[0].length)
  return offset => {
    const at = Math.min(skipped + offset, source.length)
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (starts[middle]! <= at) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: at - starts[low]! + 1 }
  }
}

/** The element's own text and that of everything in it. */
export function textOf(element: Element): string {
  let text = ''
  for (const child of element.children) text += typeof child === 'string' ? child : textOf(child)
  return text
}

/** White space at the ends is layout, and inside it is one space. */
export const squeezed = (text: string): string => text.replace(/\s+/g, ' ').trim()
