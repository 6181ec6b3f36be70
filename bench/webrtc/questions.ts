/** What the measured program is asked for, in a browser's words. */
export type WebrtcQuestion =
  /** Answers to these offers, in their order. With `bridged` each leg receives its neighbour. */
  | { readonly type: 'open'; readonly offers: readonly string[]; readonly bridged: boolean }
  /** Resolves when all of them are gone. */
  | { readonly type: 'close' }
