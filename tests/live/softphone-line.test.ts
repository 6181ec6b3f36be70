import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { testCertificate, testKey } from '../rig/fakes/certificate.ts'
import { PhoneSwitch } from '../rig/peers/phone-switch.ts'
import { plainSdp, WsPhone } from '../rig/peers/ws-phone.ts'
import { until } from '../rig/probes/wait.ts'
import { bed, phoneOf } from './softphone-bed.ts'

// Messages over the WebSockets of softphones besides calls, which must delay no other (softphone-bed.ts).

test('keep-alives: two line ends are answered with one, WebSocket pings with pongs; binary is answered in kind', async () => {
  const user = await bed.user()
  const phone = await phoneOf(user, { binary: true })
  phone.sendText('\r\n\r\n')
  await until('a pong', () => phone.pongs === 1)
  phone.socket.ping()
  await new Promise(resolve => phone.socket.once('pong', resolve))
  const kinds: boolean[] = []
  phone.socket.on('message', (_data, isBinary) => kinds.push(isBinary))
  assert.is((await phone.register()).status, 200)
  assert.equal(kinds, [true])
  phone.close()
})

test('handshakes: the subprotocol is sip, the page’s origin must be allowed', async () => {
  const { WebSocket } = await import('ws')
  const status = (protocols: string[], origin?: string) =>
    new Promise<number>((resolve, reject) => {
      const socket = new WebSocket(bed.url, protocols, origin === undefined ? {} : { origin })
      socket.on('open', () => {
        socket.close()
        resolve(101)
      })
      socket.on('unexpected-response', (_request, response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
      socket.on('error', reject)
    })
  assert.is(await status([]), 400)
  assert.is(await status(['xmpp']), 400)
  assert.is(await status(['xmpp', 'sip']), 101)
  assert.is(await status(['sip'], 'https://evil.test'), 403)
  assert.is(await status(['sip'], 'https://app.test'), 101)
  const plain = await fetch(bed.url.replace('ws:', 'http:'))
  assert.is(plain.status, 426)
})

test('junk is ignored and counted, a frame that is too big closes its socket, a flood closes its socket', async () => {
  const user = await bed.user()
  const before = (await bed.sauti.counters()).signaling
  const phone = await phoneOf(user)
  for (const junk of [
    '',
    '\0',
    'x'.repeat(1000),
    'INVITE',
    'SIP/2.0 200 OK\r\n\r\n',
    '\r\n\r\n\r\n\r\n\r\n',
    '{"a":1}',
  ])
    phone.sendText(junk)
  phone.sendText(new Uint8Array([0xff, 0xfe, 0x00, 0x80]).map(byte => byte & 0x7f))
  assert.is((await phone.register()).status, 200)
  const after = (await bed.sauti.counters()).signaling
  assert.ok(after.malformed + after.stray >= before.malformed + before.stray + 6)
  phone.sendText('x'.repeat(70_000))
  await until('the close', () => phone.closed)
  assert.is(phone.closed?.code, 1009)
  const flood = await phoneOf(user)
  for (let at = 0; at < 600; at++) flood.sendText('x')
  await until('the close of the flood', () => flood.closed)
  assert.is(flood.closed?.code, 1008)
  const other = await phoneOf(user)
  assert.is((await other.register()).status, 200)
  other.close()
})

test('1,000 connections that never sign in: most are refused, and a call goes through meanwhile', async () => {
  const { WebSocket } = await import('ws')
  await bed.document('<Response><Hangup reason="rejected"/></Response>')
  const user = await bed.user()
  const phone = await phoneOf(user)
  assert.is((await phone.register()).status, 200)
  let [opened, refused] = [0, 0]
  const sockets = Array.from({ length: 1_000 }, () => {
    const socket = new WebSocket(bed.url, 'sip')
    socket.on('open', () => opened++)
    socket.on('unexpected-response', (request, response) => {
      if (response.statusCode === 429) refused++
      request.destroy()
    })
    socket.on('error', () => {})
    return socket
  })
  await until('all handshakes', () => opened + refused === 1_000, 15_000)
  assert.is(opened, 200)
  assert.is((await phone.ask('INVITE', { to: '+254722222222', sdp: plainSdp(40_000) })).final.status, 603)
  for (const socket of sockets) socket.terminate()
  await until('the room is free again', async () => (await bed.sauti.counters()).signaling.connections <= 1)
  const late = await phoneOf(user)
  assert.is((await late.register()).status, 200)
  late.close()
  phone.close()
})

test('a reader that takes nothing is cut, and delays no other', async () => {
  const slow = await phoneOf(await bed.user())
  await slow.register()
  const other = await phoneOf(await bed.user())
  slow.socket.pause()
  // An answer repeats the question's Vias: the quickest way to fill our buffer. No more messages than a burst may have.
  const vias = Array.from({ length: 60 }, (_, at) => `Via: SIP/2.0/WS v${at}${'y'.repeat(900)}.invalid;branch=z9hG4bKv`)
  const rest = ['From: <sip:a@localhost>;tag=1', 'To: <sip:localhost>', 'CSeq: 1 OPTIONS', 'Max-Forwards: 70']
  for (let at = 0; at < 300; at++)
    slow.sendText(['OPTIONS sip:localhost SIP/2.0', ...vias, ...rest, `Call-ID: o${at}`, '', ''].join('\r\n'))
  assert.is((await other.register()).status, 200)
  await until('the cut', async () => (await bed.sauti.counters()).signaling.connections === 1, 3_000)
  slow.socket.resume()
  other.close()
})

test('own wss: listeners take phones too, with the certificate of the settings; without one the switch does not open', async () => {
  const [certFile, keyFile] = [join(tmpdir(), `sauti-${process.pid}.crt`), join(tmpdir(), `sauti-${process.pid}.key`)]
  writeFileSync(certFile, testCertificate)
  writeFileSync(keyFile, testKey)
  const sip = { realm: 'localhost', listeners: [{ transport: 'wss', address: '127.0.0.1', port: 0 }] } as const
  try {
    await PhoneSwitch.open({ sip })
    assert.unreachable('it opened without a certificate')
  } catch (fault) {
    assert.match(String(fault), /SAUTI_TLS_CERT/)
  }
  const secure = await PhoneSwitch.open({ sip, tls: { certFile, keyFile } })
  try {
    const port = secure.sauti.sipListeners[0]?.port
    const user = await secure.user()
    const phone = await WsPhone.open(`wss://127.0.0.1:${port}/`, { extension: user.extension, token: user.token })
    const made = await phone.register()
    assert.is(made.status, 200)
    assert.is(secure.sauti.isRegistered(user.user.uuid), true)
    phone.close()
  } finally {
    await secure.close()
  }
})

test('closing: phones get 503 with Retry-After', async () => {
  const user = await bed.user()
  const phone = await phoneOf(user)
  await phone.register()
  await bed.close()
  await until('the close', () => phone.closed)
  assert.is(phone.closed?.code, 1001)
})

test.run()
