import { type CallHandler, response } from 'sauti/documents'

const desk = '+254711000201'

export const voicemail: CallHandler = call => {
  switch (call.path) {
    case '/':
      return response().dial({ number: desk, timeout: '8s', action: '/desk' })
    case '/desk':
      // An empty document ends the call.
      if (call.dial?.status === 'completed') return response()
      return response()
        .say('Please leave a message after the tone.')
        .record({ action: '/message', timeout: '3s', maxLength: '2m', finishOnKey: '#' })
    case '/message':
      return response().say('Thank you. We will call you back.')
    default:
      return undefined
  }
}
