import { type CallHandler, response } from 'sauti/documents'

/** The office calls the agent; `customPayload` is the number of the customer, who is dialled once the agent has answered. */
export const clickToCall: CallHandler = call =>
  response()
    .say('Connecting you with your customer.')
    .dial({ number: call.customPayload ?? '', timeout: '20s' })
    .say('The customer does not answer.')
