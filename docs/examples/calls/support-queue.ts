import { type CallHandler, response } from 'sauti/documents'

/** Customers wait in a room until an agent, whom the office calls with the path `/agent`, enters it. */
export const supportQueue: CallHandler = call => {
  switch (call.path) {
    case '/':
      return response()
        .say('An agent will be with you shortly.')
        .dial({ conference: 'support', startOnEnter: false, beep: false, waitAsset: 'hold-music' })
        .say('Thank you for calling.')
    case '/agent':
      return response().dial({ conference: 'support', endOnExit: true, beep: false })
    default:
      return undefined
  }
}
