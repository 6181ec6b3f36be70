/** What a party of a simulated call heard. `atMs` is virtual time since the simulation began. */
export type Heard =
  | {
      readonly type: 'say'
      readonly atMs: number
      readonly text: string
      readonly voice?: string
      readonly language?: string
      /** How often, when not once; 0 = until it is stopped. */
      readonly loop?: number
    }
  | { readonly type: 'play'; readonly atMs: number; readonly source: string; readonly loop?: number }
  /** A tone of the switch: `beep`, `warning`, `waiting` or `ringback-<country>`. */
  | { readonly type: 'tone'; readonly atMs: number; readonly tone: string }
  /** The number, end-user or address that the party talks with from now on. */
  | { readonly type: 'talk'; readonly atMs: number; readonly with: string }
  | { readonly type: 'room'; readonly atMs: number; readonly room: string }
  | { readonly type: 'digits'; readonly atMs: number; readonly digits: string }

/** The part of it that a test compares: the text, the source, the tone, the other party, the room, the digits. */
export function heardText(heard: Heard): string {
  switch (heard.type) {
    case 'say':
      return heard.text
    case 'play':
      return heard.source
    case 'tone':
      return heard.tone
    case 'talk':
      return heard.with
    case 'room':
      return heard.room
    case 'digits':
      return heard.digits
  }
}

/** One line: `say "Karibu"`, `play welcome × 2`, `tone beep`, `talk with +254711000001`. */
export function describeHeard(heard: Heard): string {
  switch (heard.type) {
    case 'say':
      return `say ${JSON.stringify(heard.text)}${timesOf(heard)}`
    case 'play':
      return `play ${heard.source}${timesOf(heard)}`
    case 'talk':
      return `talk with ${heard.with}`
    default:
      return `${heard.type} ${heardText(heard)}`
  }
}

const timesOf = ({ loop = 1 }: { readonly loop?: number }): string =>
  loop === 1 ? '' : loop === 0 ? ' until it is stopped' : ` × ${loop}`
