import { type CallHandler, response } from 'sauti/documents'

/** Calls of the browser phones go out with a number of yours; a call to that number rings at the phone of the desk. */
export const browserPhone: CallHandler = call => {
  if (call.endUser === undefined) return response().dial({ client: 'desk@example.com', timeout: '20s' })
  return response().dial({ number: call.to, timeout: '20s' })
}
