import { type CallHandler, response } from 'sauti/documents'

const clinic = '+254711000801'

export const reminder: CallHandler = call => {
  switch (call.path) {
    case '/':
      return response()
        .gather({ numDigits: 1, action: '/reply' }, prompt =>
          prompt.say('You see the doctor tomorrow at nine. To confirm press one, to change it press two.'),
        )
        .say('We will call again.')
    case '/reply':
      if (call.digits === '1') return response().say('Thank you. See you tomorrow.')
      return response().say('One moment.').dial({ number: clinic, timeout: '20s' })
    default:
      return undefined
  }
}
