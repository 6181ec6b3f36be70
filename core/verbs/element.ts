import type { Position } from './problem.ts'

/** An element of a verb document; text stands between its child elements as it was written. */
export interface Element extends Position {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly (Element | string)[]
}

/** The element's own text and that of everything in it. */
export function textOf(element: Element): string {
  let text = ''
  for (const child of element.children) text += typeof child === 'string' ? child : textOf(child)
  return text
}

/** White space at the ends is layout, and inside it is one space. */
export const squeezed = (text: string): string => text.replace(/\s+/g, ' ').trim()
