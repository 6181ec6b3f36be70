import type { Filled } from './sentence.ts'

/** Every sentence of a 409 for a quota; `{what}` is one of `quotas`. */
export const quotaSentences = [
  'The account may have at most {limit} {what} (quota max_{field}); delete some, or ask the operator for more.',
  'The end-user already has {limit} phone tokens that are valid now, the limit of {limit}; revoke one, or retry once one has expired.',
] as const

export type QuotaSentence = Filled<(typeof quotaSentences)[number]>
