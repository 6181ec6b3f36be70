import { swSentence } from './sw-sentences.ts'
import { language } from './texts/index.ts'

// Apart from the catalogues: only pages of calls and documents need it.

/** A sentence of the recorder or the simulator in the chosen language. */
export const sentence = (text: string): string => (language.value === 'sw' ? swSentence(text) : text)
