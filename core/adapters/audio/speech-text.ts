/** Words for an engine that reads one line at a time and knows no markup: nothing in it is a command or ends the line. */
export const lineOf = (text: string): string => text.replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]/g, ' ').trim()

/** The time limit of an engine for one text; after it the next engine is asked. */
export const patienceFor = (text: string, atLeastMs: number): number => atLeastMs + msPerCharacter * text.length

/** Four times what a slow engine takes: a character is about 60 ms of speech, made in a quarter of its length. */
const msPerCharacter = 15
