import { type CallHandler, response } from 'sauti/documents'

const rider = '+254711000601'
const driver = '+254711000602'

/** Both call the same number of yours, reach the other, and see only that number. */
export const maskedNumbers: CallHandler = call => {
  const other = call.from === rider ? driver : call.from === driver ? rider : undefined
  if (other === undefined) return response().reject()
  return response().dial({ number: other, callerId: call.to, timeout: '20s' })
}
