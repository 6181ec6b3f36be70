import { type CallHandler, response } from 'sauti/documents'

export const dialByExtension: CallHandler = call => {
  switch (call.path) {
    case '/':
      return response()
        .gather({ numDigits: 4, action: '/extension' }, prompt => prompt.say('Please type the extension.'))
        .say('Goodbye.')
    case '/extension':
      return response().dial({ client: call.digits ?? '', timeout: '15s', action: '/dialled' })
    case '/dialled':
      if (call.dial?.status === 'completed') return response()
      return response().say('Nobody answers there.').redirect('/')
    default:
      return undefined
  }
}
