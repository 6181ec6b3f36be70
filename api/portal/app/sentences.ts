import { swSentence } from './sw-sentences.ts'
import { eventText, problemText } from './switch-texts/index.ts'
import { language } from './texts/index.ts'

// Apart from the catalogues: only pages of calls and documents need it.

const inner = {
  problem: (message: string) => problemText(message) ?? message,
  event: (code: string, name: string) => eventText(code) ?? name,
}

/** A sentence of the recorder or the simulator in the chosen language. */
export const sentence = (text: string): string => (language.value === 'sw' ? swSentence(text, inner) : text)
