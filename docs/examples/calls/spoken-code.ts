import { type CallHandler, response } from 'sauti/documents'

/** A second factor: `customPayload` of the call is the code. */
export const spokenCode: CallHandler = call => {
  const digits = [...(call.customPayload ?? '')].join(', ')
  return response().pause('1s').say(`Your code is ${digits}.`, { loop: 2 }).say('Goodbye.')
}
