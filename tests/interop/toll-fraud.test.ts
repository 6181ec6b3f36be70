import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ownInputs } from '../fixtures/inputs.ts'
import { addTrunk, expectStatus } from '../rig/beds/account.ts'
import { SwitchBed } from '../rig/beds/switch-bed.ts'
import { freePort } from '../rig/probes/ports.ts'
import { sleep, until } from '../rig/probes/wait.ts'

// An expensive number is refused, from a trunk's own caller too: nothing goes on to a carrier.
const fraud = suite('Toll fraud')

async function counting(port: number): Promise<{ readonly socket: Socket; readonly received: string[] }> {
  const socket = createSocket('udp4')
  const received: string[] = []
  socket.on('message', bytes => received.push(bytes.toString('latin1')))
  socket.bind(port, '127.0.0.1')
  await once(socket, 'listening')
  return { socket, received }
}

fraud(
  'numbers that cost much, from a trusted trunk and from an unknown source: refused or dropped, nothing sent, nothing held',
  async () => {
    const bed = await SwitchBed.open()
    const carrier = await counting(await freePort())
    const caller = await counting(await freePort())
    try {
      // Every number would fit this trunk.
      const { port } = carrier.socket.address()
      await addTrunk(bed.on, { name: 'everything', port, prefixes: ['+'], inbound: false })
      const send = async (asTrunk: boolean) => {
        for (const [at, { name, bytes }] of ownInputs('toll-fraud').entries()) {
          const tag = `${asTrunk ? 'trunk' : 'unknown'}-${at}`
          const text = Buffer.from(bytes)
            .toString('latin1')
            .replace('z9hG4bKfixture1', `z9hG4bK${tag}`)
            .replace('fixture-1@', `${tag}@`)
            .replaceAll('127.0.0.1:5099', `127.0.0.1:${caller.socket.address().port}`)
          caller.received.length = 0
          caller.socket.send(Buffer.from(text, 'latin1'), bed.on.sipPort, '127.0.0.1')
          if (!asTrunk) continue
          const finals = () => caller.received.flatMap(answer => /^SIP\/2\.0 ([2-6]\d\d)/.exec(answer)?.[1] ?? [])
          await until(`an answer to ${name}`, () => finals().length > 0)
          assert.match(finals()[0]!, /^4(00|01|03|04|16|80|84)$/, name)
        }
      }
      await send(false)
      await sleep(500)
      assert.equal(caller.received, [], 'unknown sources get no answer')
      await addTrunk(bed.on, { name: 'trusted', port: await freePort(), prefixes: [] })
      await send(true)
      assert.equal(carrier.received, [])
      const account = expectStatus(await bed.on.operator('GET', `/accounts/${bed.account.uuid}`), 200).body
      assert.equal([account.held_amount, account.wallet_balance], ['0.00', '1000.00'])
      assert.is(expectStatus(await bed.account.api('GET', '/calls/'), 200).body.total, 0)
    } finally {
      caller.socket.close()
      carrier.socket.close()
      await bed.close()
    }
  },
)

fraud.run()
