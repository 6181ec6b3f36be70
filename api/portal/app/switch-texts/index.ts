import { effect, signal } from '@preact/signals'
import { language } from '../texts/index.ts'

// What the switch writes, in the language of the page. It writes English; other languages are loaded when they are chosen.

type SwitchTexts = typeof import('./sw.ts')

const loaded = signal<SwitchTexts | undefined>(undefined)

/** At hand once it resolves, where the language needs them. Without them the switch's own English is shown. */
export async function switchTexts(): Promise<void> {
  if (language.value !== 'sw' || loaded.value !== undefined) return
  loaded.value = await import('./sw.ts').catch(() => undefined)
}

effect(() => {
  if (language.value === 'sw') switchTexts()
})

const texts = (): SwitchTexts | undefined => (language.value === 'sw' ? loaded.value : undefined)

/** Undefined, here and below: in English, as the switch has written it. */
export const problemText = (message: string): string | undefined => texts()?.problem(message)
export const wordText = (name: string): string | undefined => texts()?.word(name)
export const eventText = (code: string): string | undefined => texts()?.event(code)

/** The body of every answer that is not 2xx. */
export interface RefusalBody {
  readonly detail: string
  readonly code?: string
  readonly errors?: readonly { readonly field: string; readonly message: string }[]
}

/** Of the first field that did not fit, else of the sentence, with the code before it. */
export function refusalText(body: RefusalBody): string | undefined {
  const known = texts()
  const [first] = body.errors ?? []
  if (first !== undefined) {
    const text = known?.field(first.message)
    return text && `${first.field}: ${text}`
  }
  const before = body.code === undefined ? '' : `${body.code}: `
  const text = known?.refusal(body.detail.slice(before.length))
  return text && before + text
}
