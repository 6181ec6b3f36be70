import { response } from 'sauti/documents'
import { Simulation } from 'sauti/testing'

const sauti = new Simulation({
  documents: {
    '/': response().gather({ numDigits: 1, action: '/menu' }, prompt => prompt.say('Press one')),
    '/menu': call => (call.digits === '1' ? response().dial({ number: '+254711000001' }) : response().say('Wrong')),
  },
  remotes: { '+254711000001': 'busy' },
})
const caller = sauti.call()
await caller.hears('Press one')
await caller.press('1')
const end = await caller.ended()
console.log(end.reason, caller.transcript)
