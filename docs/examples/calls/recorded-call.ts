import { type CallHandler, response } from 'sauti/documents'

const adviser = '+254711000901'

export const recordedCall: CallHandler = call => {
  switch (call.path) {
    case '/':
      return response()
        .gather({ numDigits: 1, timeout: '4s', action: '/consent' }, prompt =>
          prompt.say('If we may record this call press one.'),
        )
        .redirect('/consent')
    case '/consent': {
      const document = response().say('One moment.')
      if (call.digits === '1') document.recordSession({ channels: 'dual' })
      return document.dial({ number: adviser, timeout: '20s' })
    }
    default:
      return undefined
  }
}
