import type { Filled } from '../model/sentence.ts'

/** Every sentence with which the switch refuses to place a call; `{name}` stands for a value. */
export const orderSentences = [
  'the switch is draining',
  'the switch is closing',
  'the switch is loaded and takes no new calls for now',
  'the database failed: try again',
  'the account does not exist',
  'the account is suspended',
  '{number} is not an active number of this account',
  'calls to {number} are not allowed',
  'there is no rate for {number}',
  'more than {limit} live calls',
  'more than {limit} new calls per second',
  'the balance does not cover the call',
] as const

/** What a field of an order has to be. */
export const orderFieldSentences = [
  '+ and 7 to 15 digits, or an extension',
  '+ and 7 to 15 digits',
  'an http or https URL',
  '1 to {limit} seconds',
  'at most {limit} levels of objects and lists',
  'at most {limit} bytes',
  'numbers from -{limit} to {limit}; write others as text',
] as const

export type OrderSentence = Filled<(typeof orderSentences)[number]>
export type OrderFieldSentence = Filled<(typeof orderFieldSentences)[number]>
