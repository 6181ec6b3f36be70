import { type CallHandler, response } from 'sauti/documents'

const mobile = '+254711000501'
const office = '+254711000502'

export const forwarding: CallHandler = call => {
  const isDone = call.dial?.status === 'completed'
  switch (call.path) {
    case '/':
      return response().dial({ number: mobile, timeout: '6s', action: '/mobile' })
    case '/mobile':
      return isDone ? response() : response().dial({ number: office, timeout: '20s', action: '/office' })
    case '/office':
      return isDone ? response() : response().say('Nobody can take your call now.')
    default:
      return undefined
  }
}
