import { type CallHandler, response } from 'sauti/documents'

const sales = '+254711000101'

export const menu: CallHandler = call => {
  switch (call.path) {
    case '/':
      return response()
        .gather({ numDigits: 1, action: '/chosen' }, prompt =>
          prompt.say('For sales press one, for our hours press two.'),
        )
        .say('Please call again.')
    case '/chosen':
      if (call.digits === '1') return response().dial({ number: sales, timeout: '20s' })
      if (call.digits === '2') return response().say('We are open from eight to five.')
      return response().say('That is not on the menu.').redirect('/')
    default:
      return undefined
  }
}
