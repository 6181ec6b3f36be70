import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type ConnectionLimits, defaultConnectionLimits } from '../../api/access/http-connections.ts'
import { UnreadAnswers } from '../../api/access/unread-answers.ts'
import { sleep, until } from '../rig/probes/wait.ts'
import { ApiBed } from './bed/api-bed.ts'

const unreadMs = 1000
// Each is 393 KB of JSON; all together are more than the buffers of both kernels hold.
const documents = 50

/** A switch with the documents; `ask`: a client that has asked and reads nothing yet, and the server's side of it. */
async function served(limits: ConnectionLimits) {
  const bed = await ApiBed.open({}, {}, limits)
  const port = Number(new URL(await bed.app.listen({ host: '127.0.0.1', port: 0 })).port)
  const sockets: Socket[] = []
  bed.app.server.on('connection', socket => sockets.push(socket))
  for (let at = 0; at < documents; at++)
    await bed.customer('POST', '/documents/', { name: 'Long', body: '\u0001'.repeat(64 * 1024) })
  const ask = async (path: string): Promise<{ client: Socket; server: Socket }> => {
    const client = connect({ port, host: '127.0.0.1' }).on('error', () => {})
    await once(client, 'connect')
    client.pause()
    client.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${bed.key}\r\n\r\n`)
    const server = await until('its connection', () =>
      sockets.find(({ remotePort }) => remotePort === client.localPort),
    )
    return { client, server }
  }
  return { bed, ask }
}

const { bed, ask } = await served({ ...defaultConnectionLimits, unreadMs })

/** Reads some 7 MB a second to the end of the answer, or of the connection; says how the answer ended. */
async function readSlowly(client: Socket): Promise<string> {
  let end = ''
  let taken = 0
  for await (const bytes of client as AsyncIterable<Buffer>) {
    end = (end + bytes.toString('latin1')).slice(-60)
    if (end.endsWith('\r\n0\r\n\r\n')) break
    taken += bytes.length
    if (taken < 1024 * 1024) continue
    taken = 0
    await sleep(150)
  }
  return end
}

/** Until the connection is closed; the most octets that it had unsent. */
async function mostUnsent({ server }: { server: Socket }): Promise<number> {
  let most = 0
  await until('the end', () => {
    most = Math.max(most, server.writableLength)
    return server.destroyed
  })
  return most
}

test('an answer that its client does not read stays short and its connection is closed; a slow reader gets all of it', async () => {
  const silent = await ask('/documents/?limit=200')
  const slow = await ask('/documents/?limit=200')
  await until('unsent octets', () => silent.server.writableLength > 0 && slow.server.writableLength > 0, 20_000)
  const begun = performance.now()
  const reading = readSlowly(slow.client)
  const most = await mostUnsent(silent)
  assert.ok(most < 1024 * 1024, `${most} octets were unsent`)
  assert.match(await reading, `"total":${documents},"limit":200,"offset":0}`)
  assert.ok(performance.now() - begun > 2 * unreadMs, 'it took longer than a silent one is given')
  silent.client.destroy()
})

test('revisions of a document are written one by one, as they are read', async () => {
  const { uuid } = (await bed.customer('POST', '/documents/', { name: 'Kept', body: '' })).body
  for (let at = 0; at < documents; at++)
    await bed.customer('PUT', `/documents/${uuid}`, { name: 'Kept', body: `${at}${'\u0001'.repeat(65_000)}` })
  const silent = await ask(`/documents/${uuid}/revisions`)
  const most = await mostUnsent(silent)
  assert.ok(most < 1024 * 1024, `${most} octets were unsent`)
  const revisions = (await bed.customer('GET', `/documents/${uuid}/revisions`)).body
  assert.is(revisions.length, 50)
  silent.client.destroy()
})

test('an account has twenty such lists unread at most; others, and it after their end, get theirs', async () => {
  // None of them is cut off before the last has begun.
  const { bed, ask } = await served(defaultConnectionLimits)
  const other = (await bed.operator('POST', '/operator/accounts', { name: 'Other' })).body
  const silent = await Promise.all(Array.from({ length: 20 }, () => ask('/documents/?limit=200')))
  await until('a refusal', async () => (await bed.conforming('GET', '/documents/?limit=1')).status === 429)
  assert.is((await bed.conforming('GET', '/documents/?limit=1', { key: other.key })).status, 200)
  for (const { client } of silent) client.destroy()
  await until('room', async () => (await bed.conforming('GET', '/documents/?limit=1')).status === 200)
  await bed.close()
})

test.after(() => bed.close())
test('one long write that a slow line takes is no silence; a line that takes nothing is', () => {
  const unread = new UnreadAnswers(30_000)
  let isEnded = false
  const connection = {
    bytesWritten: 8_000_000,
    writableLength: 8_000_000,
    _handle: { writeQueueSize: 8_000_000 },
    destroy() {
      isEnded = true
      return connection as never
    },
  }
  for (let at = 0; at <= 120_000; at += 3000) {
    unread.look([connection], at)
    connection._handle.writeQueueSize -= 10_000
  }
  assert.is(isEnded, false)
  // What is written beside it is no progress.
  for (let at = 123_000; at <= 160_000; at += 3000) {
    unread.look([connection], at)
    connection._handle.writeQueueSize += 10
  }
  assert.is(isEnded, true)
})

test.run()
