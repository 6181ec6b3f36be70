import type { IncomingMessage } from 'node:http'
import fastify from 'fastify'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { clientAddresses } from '../../api/access/client-address.ts'

const trusted = ['127.0.0.1', '10.0.0.0/8', 'fd00::/8']

const cases: readonly [remote: string, forwarded: string | undefined][] = [
  ['127.0.0.1', undefined],
  ['127.0.0.1', '203.0.113.5'],
  ['127.0.0.1', '198.51.100.1, 203.0.113.5'],
  ['127.0.0.1', '203.0.113.5, 10.1.2.3'],
  ['127.0.0.1', '198.51.100.1, 203.0.113.5, 10.1.2.3, 10.9.9.9'],
  ['127.0.0.1', '10.1.2.3'],
  ['127.0.0.1', '2001:db8::5'],
  ['fd00::1', '2001:db8::5, fd00::2'],
  ['203.0.113.9', '198.51.100.1'],
  ['203.0.113.9', undefined],
  ['10.0.0.7', '  203.0.113.5  '],
]
for (const [remoteAddress, forwarded] of cases) {
  test(`${remoteAddress} with ${forwarded}: as Fastify's trustProxy finds it`, async () => {
    const app = fastify({ trustProxy: [...trusted] })
    app.get('/', async request => request.ip)
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
    const { body } = await app.inject({ url: '/', remoteAddress, headers })
    const raw = { socket: { remoteAddress }, headers } as unknown as IncomingMessage
    assert.is(clientAddresses(trusted)(raw), body)
    await app.close()
  })
}

test('no proxy is trusted unless listed, and a value that is not an address ends the search at the proxy that sent it', () => {
  const ask = (trustedProxies: readonly string[], remoteAddress: string, forwarded: string) =>
    clientAddresses(trustedProxies)({
      socket: { remoteAddress },
      headers: { 'x-forwarded-for': forwarded },
    } as unknown as IncomingMessage)
  assert.is(ask([], '127.0.0.1', '203.0.113.5'), '127.0.0.1')
  assert.is(ask(trusted, '127.0.0.1', 'unknown'), '127.0.0.1')
  assert.is(ask(trusted, '127.0.0.1', '203.0.113.5, _hidden, 10.0.0.1'), '10.0.0.1')
  assert.is(ask(trusted, '::ffff:127.0.0.1', '203.0.113.5'), '203.0.113.5')
})

test.run()
