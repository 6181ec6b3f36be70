import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { NameFault, type ResolvedAddress } from '../../../../core/adapters/names/index.ts'
import { HomerSender } from '../../../../core/adapters/trace/homer-sender.ts'

const loopback: ResolvedAddress = { address: '127.0.0.1', family: 4 }

async function homerAt(addresses: (host: string) => Promise<readonly ResolvedAddress[]>) {
  const homer = createSocket('udp4')
  homer.bind(0, '127.0.0.1')
  await once(homer, 'listening')
  const got: string[] = []
  homer.on('message', message => got.push(message.toString()))
  const sender = new HomerSender({ address: 'homer.test', port: homer.address().port }, { addresses, close: () => {} })
  return {
    sender,
    got,
    next: () => once(homer, 'message'),
    close: () => {
      sender.close()
      homer.close()
    },
  }
}

test('a Homer server may be named: what is sent once its address is known arrives', async () => {
  const asked: string[] = []
  const { sender, got, next, close } = await homerAt(async host => {
    asked.push(host)
    return [loopback]
  })
  await Promise.resolve()
  const arrived = next()
  await new Promise(resolve => setImmediate(resolve))
  sender.send(Buffer.from('one'))
  await arrived
  assert.equal([asked, got], [['homer.test'], ['one']])
  close()
})

test('a name without an address drops what is sent, and faults nothing', async () => {
  const { sender, got, close } = await homerAt(() => Promise.reject(new NameFault('homer.test', 'ENOTFOUND')))
  await new Promise(resolve => setImmediate(resolve))
  sender.send(Buffer.from('lost'))
  await new Promise(resolve => setTimeout(resolve, 50))
  assert.equal(got, [])
  close()
})

test.run()
