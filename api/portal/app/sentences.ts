import { type SwSentence, swSentence } from './sw-sentences.ts'
import { eventText, problemText } from './switch-texts/index.ts'
import { language } from './texts/index.ts'

// Apart from the catalogues: only pages of calls and documents need it.

const inner = {
  problem: problemText,
  event: (code: string, name: string) => eventText(code) ?? name,
}

/** A sentence of the recorder or the simulator in the chosen language, and what of it stays English. */
export const sentence = (text: string): SwSentence =>
  language.value === 'sw' ? swSentence(text, inner) : { before: text, english: '', after: '' }
