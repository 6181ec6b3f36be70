import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { expectStatus } from '../rig/beds/account.ts'
import { sideBySide } from '../rig/beds/side-by-side.ts'
import { VerbBed } from '../rig/beds/verb-bed.ts'
import { RtpEndpoint } from '../rig/peers/rtp-endpoint.ts'
import { Sipp } from '../rig/peers/sipp.ts'
import { freePort } from '../rig/probes/ports.ts'

// <Dial><Sip>: another SIP server is reached; a trunk, this switch and what an operator has blocked are not.
const dial = suite('Dial Sip')
const calls = sideBySide(dial)

let bed: VerbBed

dial.before(async () => {
  bed = await VerbBed.open()
})
dial.after(() => bed?.close())

const premium = '+979123456789'
const to = (uri: string) => ({ voice: `<Dial action="/done"><Sip>${uri}</Sip></Dial>`, '/done': '<Hangup/>' })

/** Whether a call to that URI was refused, and what it says. */
async function outcome(uri: string) {
  const call = await bed.call(to(uri), { scenario: 'caller-busy' })
  const { body } = await call.post('/done')
  return { call, said: [body.DialCallStatus, body.DialReasonCode] }
}

/** A carrier's address: what comes there is counted. */
async function carrier() {
  const { port } = await bed.destination()
  const socket = createSocket('udp4')
  const received: string[] = []
  socket.on('message', bytes => received.push(bytes.toString()))
  socket.bind(port, '127.0.0.1')
  await once(socket, 'listening')
  return { port, received, close: () => socket.close() }
}

calls('a trunk of the operator is not reached by <Sip>, nor this switch: nothing is sent', async () => {
  const trunk = await carrier()
  try {
    for (const uri of [
      `sip:${premium}@127.0.0.1:${trunk.port}`,
      `sip:x@127.0.0.1:${trunk.port};transport=tcp`,
      `sip:x@localhost:${trunk.port}`,
      `sip:x@192.0.2.1:${trunk.port};maddr=127.0.0.1`,
      `sip:${bed.account.number}@127.0.0.1:${bed.on.sipPort}`,
      `sip:${bed.account.number}@[::ffff:127.0.0.1]:${bed.on.sipPort}`,
    ]) {
      const { said } = await outcome(uri)
      assert.equal([uri, ...said], [uri, 'failed', 'END.0403'])
    }
    assert.equal(trunk.received, [])
  } finally {
    trunk.close()
  }
})

calls('faults that a document shows by itself are reported; blocked numbers stay blocked', async () => {
  const trunk = await carrier()
  try {
    const { call, said } = await outcome(`sip:x@127.0.0.1:${trunk.port}`)
    assert.equal(said, ['failed', 'END.0403'])
    assert.is(await call.problems(), 1)
  } finally {
    trunk.close()
  }
  const blocked = await outcome(`sip:${premium}@pbx.example.invalid`)
  assert.equal(blocked.said, ['failed', 'END.4433'])
  assert.is(await blocked.call.problems(), 0)
})

calls('somebody else’s server on this machine is reached, and is charged by the rate of sip:', async () => {
  const rates = expectStatus(await bed.on.operator('GET', '/rates'), 200).body.rates
  const priced = { prefix: 'sip:127.0.0.1', direction: 'outbound', rate_per_minute: '7' }
  expectStatus(await bed.on.operator('PUT', '/rates', { rates: [...rates, priced] }), 200)
  const port = await freePort()
  const rtp = await RtpEndpoint.open()
  const sipp = new Sipp({ scenario: 'callee', localPort: port, rtpPort: rtp.port, pauseMs: 1000 })
  await sipp.listening()
  const call = await bed.call(
    {
      voice: `<Dial action="/done" timeLimit="1"><Sip>sip:desk@127.0.0.1:${port}</Sip></Dial>`,
      '/done': '<Hangup/>',
    },
    {},
  )
  await call.done()
  const { code, messages, errors } = await sipp.done
  rtp.close()
  assert.is(code, 0, `${errors}\n${messages.slice(-2000)}`)
  assert.is((await call.post('/done')).body.DialCallStatus, 'completed')
  assert.is((await call.record()).cost, '7.00')
})

dial.run()
