import { type ProblemList, quoted } from './problem.ts'
import { type Element, squeezed } from './xml.ts'

/** What a Say holds: its words, and the same with markup where the document used any. */
export interface Speech {
  /** Without markup: what an engine speaks that understands none. */
  readonly text: string
  /** SSML of the elements below, rooted in `<speak>`; missing when there is no markup. */
  readonly ssml?: string
}

/** SSML that passes, with the values that its attributes may have. Nothing else reaches an engine. */
const markup: ReadonlyMap<string, ReadonlyMap<string, RegExp>> = new Map([
  [
    'break',
    new Map([
      ['time', /^\+?(\d{1,5}(\.\d{1,3})?|\.\d{1,3})(ms|s)$/],
      ['strength', /^(none|x-weak|weak|medium|strong|x-strong)$/],
    ]),
  ],
  ['p', new Map()],
  ['s', new Map()],
  [
    'say-as',
    new Map([
      ['interpret-as', /^[a-z][a-z:-]{0,31}$/],
      ['format', /^[\w:.-]{1,32}$/],
      ['detail', /^[\w:.-]{1,32}$/],
    ]),
  ],
  [
    'prosody',
    new Map([
      // From half to thrice the usual speed: slower than that, a few words could fill an hour.
      ['rate', /^(x-slow|slow|medium|fast|x-fast|default|([5-9]\d|[12]\d\d|300)%)$/],
      ['pitch', /^(x-low|low|medium|high|x-high|default|[+-]?\d{1,3}(\.\d)?(%|Hz|st))$/],
      ['volume', /^(silent|x-soft|soft|medium|loud|x-loud|default|[+-]?\d{1,2}(\.\d)?dB)$/],
    ]),
  ],
  ['emphasis', new Map([['level', /^(strong|moderate|none|reduced)$/]])],
  ['sub', new Map([['alias', /^.{1,256}$/s]])],
])

/** What the breaks of one Say may last together. */
const maxBreaksMs = 60_000

export function readSpeech(element: Element, problems: ProblemList): Speech {
  const reader = new SpeechReader(problems)
  const inside = reader.read(element.children)
  const text = squeezed(reader.text)
  return reader.marked ? { text, ssml: `<speak>${squeezed(inside)}</speak>` } : { text }
}

class SpeechReader {
  readonly #problems: ProblemList
  #breaksMs = 0
  text = ''
  marked = false

  constructor(problems: ProblemList) {
    this.#problems = problems
  }

  /** The SSML of what is inside an element; its plain words are added to `text`. */
  read(children: Element['children']): string {
    let ssml = ''
    for (const child of children) {
      if (typeof child === 'string') {
        this.text += child
        ssml += escaped(child)
      } else {
        ssml += this.#element(child)
      }
    }
    return ssml
  }

  #element(element: Element): string {
    const allowed = markup.get(element.name)
    if (allowed === undefined) {
      this.#problems.add(element, `<Say> knows no markup ${quoted(element.name)}; its text is spoken`)
      return this.read(element.children)
    }
    let tag = element.name
    let time = '1s'
    for (const [name, value] of element.attributes) {
      if (allowed.get(name)?.test(value) === true) {
        tag += ` ${name}="${escaped(value)}"`
        if (name === 'time') time = value
      } else this.#problems.add(element, `<${element.name}> ${name}=${quoted(value)} is not understood; it is ignored`)
    }
    if (element.name === 'break' && !this.#affords(element, time)) return ''
    this.marked = true
    if (element.name === 'break') {
      this.text += ' '
      return `<${tag}/>`
    }
    if (element.name === 'p' || element.name === 's') this.text += ' '
    const before = this.text
    const inside = this.read(element.children)
    const alias = element.name === 'sub' ? element.attributes.get('alias') : undefined
    if (alias !== undefined) this.text = before + alias
    if (element.name === 'p' || element.name === 's') this.text += ' '
    return `<${tag}>${inside}</${element.name}>`
  }

  /** `time` is a number and `ms` or `s`. */
  #affords(element: Element, time: string): boolean {
    this.#breaksMs += Number.parseFloat(time) * (time.endsWith('ms') ? 1 : 1000)
    if (this.#breaksMs <= maxBreaksMs) return true
    this.#problems.add(
      element,
      `the breaks of one <Say> may last ${maxBreaksMs / 1000} s together; this one is left out`,
    )
    return false
  }
}

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, found =>
    found === '&' ? '&amp;' : found === '<' ? '&lt;' : found === '>' ? '&gt;' : '&quot;',
  )
