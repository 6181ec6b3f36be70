import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Refusal } from '../../api/answer/refusal.ts'
import { WorkTurns } from '../../api/base/work-turns.ts'
import { piecesOf } from '../../api/request/body-reader.ts'
import { ApiBed } from './bed/api-bed.ts'

const pieceBytes = 64 * 1024
const limit = 20 * 1024 * 1024

/** A client that sends as fast as it is read; `sent` counts what was taken from it. */
class Client extends Readable {
  sent = 0
  readonly #length: number

  constructor(length: number) {
    super({ highWaterMark: pieceBytes })
    this.#length = length
  }

  override _read(): void {
    const left = this.#length - this.sent
    if (left === 0) {
      this.push(null)
      return
    }
    const piece = Buffer.alloc(Math.min(pieceBytes, left))
    this.sent += piece.length
    this.push(piece)
  }
}

const requestOf = (headers: Record<string, string>): FastifyRequest =>
  ({ headers, ip: '192.0.2.1', routeOptions: {} }) as unknown as FastifyRequest

const loops = async (count: number) => {
  for (let at = 0; at < count; at++) await new Promise(resolve => setImmediate(resolve))
}

const refusalOf = async (work: Promise<unknown>): Promise<Refusal> => {
  try {
    await work
  } catch (fault) {
    assert.instance(fault, Refusal)
    return fault as Refusal
  }
  throw new Error('it was not refused')
}

test('of a body whose consumer is after no more is read than two pieces', async () => {
  const client = new Client(limit)
  const pieces = piecesOf(requestOf({ 'content-length': String(limit) }), client, limit, new WorkTurns())
  let taken = 0
  for (let count = 0; count < 5; count++) {
    const { value } = await pieces.next()
    taken += value?.length ?? 0
    await loops(50)
    assert.ok(client.sent <= taken + 2 * pieceBytes, `${client.sent} bytes were read, ${taken} taken`)
  }
})

test('between two pieces of a long body the event loop turns', async () => {
  const length = 32 * pieceBytes
  let turned = 0
  let isOver = false
  const turn = () => {
    turned++
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  let count = 0
  for await (const _ of piecesOf(requestOf({}), new Client(length), limit, new WorkTurns())) count++
  isOver = true
  assert.ok(count > 10)
  assert.ok(turned >= count - 1, `${turned} turns for ${count} pieces`)
})

test('a body that is announced as too long is refused before anything of it is read; one in chunks when it becomes so', async () => {
  const announced = new Client(limit)
  const all = async (headers: Record<string, string>, client: Client, most: number) => {
    for await (const _ of piecesOf(requestOf(headers), client, most, new WorkTurns())) void _
  }
  assert.is((await refusalOf(all({ 'content-length': String(limit) }, announced, limit - 1))).status, 413)
  assert.is(announced.sent, 0)
  const chunked = new Client(limit)
  assert.is((await refusalOf(all({ 'transfer-encoding': 'chunked' }, chunked, 3 * pieceBytes))).status, 413)
  assert.ok(chunked.sent <= 6 * pieceBytes, `${chunked.sent} bytes were read`)
})

test('a body that ends before its length is 400', async () => {
  const cut = new Client(4 * pieceBytes)
  cut.once('readable', () => cut.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })))
  const whole = async () => {
    for await (const _ of piecesOf(requestOf({}), cut, limit, new WorkTurns())) void _
  }
  assert.is((await refusalOf(whole())).status, 400)
})

test('a page of documents is checked and written one by one: the event loop turns between two of them', async () => {
  const bed = await ApiBed.open()
  const count = 40
  for (let at = 0; at < count; at++)
    await bed.customer('POST', '/documents/', { name: `d${at}`, body: `<Response><Say>${at}</Say><Shout/></Response>` })
  let turned = 0
  let isOver = false
  const turn = () => {
    turned++
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  const page = await bed.customer('GET', '/documents/?limit=30&offset=5')
  isOver = true
  assert.is(page.body.documents.length, 30)
  assert.is(page.body.total, count)
  assert.is(new Set(page.body.documents.map(({ uuid }: { uuid: string }) => uuid)).size, 30)
  assert.ok(page.body.documents.every((each: { problems: unknown[] }) => each.problems.length === 1))
  assert.ok(turned >= 30, `${turned} turns`)
  await bed.close()
})

test.run()
