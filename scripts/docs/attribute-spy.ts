import { Attributes, type Range } from '../../core/verbs/attributes.ts'
import type { ProblemList } from '../../core/verbs/problem.ts'
import type { WantedValue } from '../../core/verbs/problem-sentences.ts'
import type { Element } from '../../core/verbs/xml.ts'

/** How an attribute is read, as its verb asks for it. */
export interface AttributeFacts {
  readonly name: string
  readonly type: string
  readonly limits: string
  /** Empty when the verb has none, or says it elsewhere. */
  readonly fallback: string
  /** The words to choose from; empty when it is none of that kind. */
  readonly choices: readonly string[]
}

/** Reads like Attributes, and records what was asked: the reference says what the verb does, not what somebody wrote. */
export class AttributeSpy extends Attributes {
  readonly asked: AttributeFacts[] = []

  constructor(element: Element, problems: ProblemList) {
    super(element, problems)
  }

  override text(name: string, pattern: RegExp, wanted: WantedValue): string | undefined {
    this.#note({ name, type: 'text', limits: wanted })
    return super.text(name, pattern, wanted)
  }

  override whole(name: string, range: Range): number {
    this.#note({ name, type: 'whole number', limits: `${range.min} to ${range.max}`, fallback: String(range.fallback) })
    return super.whole(name, range)
  }

  override secondsMs(name: string, range: Range): number {
    this.#note({ name, type: 'seconds', limits: `${range.min} to ${range.max}`, fallback: String(range.fallback) })
    return super.secondsMs(name, range)
  }

  override flag(name: string, fallback: boolean): boolean {
    this.#note({ name, type: '`true` `false`', fallback: String(fallback) })
    return super.choice(name, ['true', 'false'], fallback ? 'true' : 'false') === 'true'
  }

  override choice<Value extends string>(name: string, values: readonly Value[], fallback: Value): Value {
    this.#note({ name, type: values.map(value => `\`${value}\``).join(' '), fallback, choices: values })
    return super.choice(name, values, fallback)
  }

  override url(name: string): string | undefined {
    this.#note({ name, type: 'URL', limits: 'absolute, or relative to the document' })
    return super.url(name)
  }

  #note(facts: Partial<AttributeFacts> & { readonly name: string; readonly type: string }): void {
    this.asked.push({ limits: '', fallback: '', choices: [], ...facts })
  }
}
