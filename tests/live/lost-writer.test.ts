import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { defaultConnectionLimits } from '../../api/access/http-connections.ts'
import { RequestLimits } from '../../api/access/request-limits.ts'
import { buildApi } from '../../api/server.ts'
import { openDatabase } from '../../core/adapters/store/database.ts'
import { unitOf } from '../../core/adapters/store/threads/protocol.ts'
import { defaultSettings, Switch } from '../../core/index.ts'
import { nextWriter, until } from '../core/bed/writer-bed.ts'
import { freeMediaPorts } from '../rig/probes/ports.ts'

// A whole switch whose database thread ends while a call is placed over HTTP.

const [from, to] = ['+254700000001', '+254700000002']

async function placing() {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-lost-'))
  const writer = nextWriter()
  const asked: string[] = []
  const bytes = new TextEncoder().encode('<Response/>')
  const sauti = await Switch.open(
    {
      ...defaultSettings,
      dataFolder: folder,
      sip: { realm: 'localhost', listeners: [{ transport: 'udp', address: '127.0.0.1', port: 0 }] },
      media: { ports: freeMediaPorts(), workers: 0, timeoutSeconds: 60, weakFingerprints: false },
    },
    {
      documents: emit => ({
        execute({ callId, requestId, url }) {
          asked.push(url)
          emit({ type: 'document.fetched', callId, requestId, bytes })
        },
        abandon: () => {},
      }),
    },
  )
  const { repositories } = sauti
  const made = await repositories.accounts.create({ name: 'Lost', walletBalance: 1_000_000 }, Date.now())
  for (const number of [from, to]) {
    const pool = await repositories.numbers.add(number, 0, Date.now())
    assert.ok(pool)
    await repositories.numbers.acquire(made.account.uuid, pool.uuid, Date.now())
  }
  const rate = { prefix: '+254', direction: 'outbound', ratePerMinute: 30_000, incrementSeconds: 60 } as const
  await repositories.rates.replace([{ ...rate, minimumSeconds: 0, connectionFee: 0 }])
  const app = await buildApi(sauti, {
    operatorKey: 'operator-key',
    limits: new RequestLimits(),
    connections: defaultConnectionLimits,
  })
  const look = openDatabase(folder, { readOnly: true })
  return {
    writer,
    /** Documents that calls have asked for. */
    asked,
    /** Those that the account has placed. */
    placed: () => look.all(look.sql.selectFrom('calls').selectAll().where('direction', '=', 'outbound')),
    async post(key: string | undefined) {
      const {
        statusCode,
        headers: answered,
        body,
      } = await app.inject({
        method: 'POST',
        url: '/calls/originate',
        headers: {
          authorization: `Bearer ${made.key}`,
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        payload: { from, to, url: 'https://a.example/voice' },
      })
      return { status: statusCode, retryAfter: answered['retry-after'], body: JSON.parse(body) }
    },
    async replaced() {
      await until(async () => (await app.inject({ url: '/health/' })).statusCode === 200)
    },
    async close() {
      look.close()
      await app.close()
      await sauti.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type Answer = Awaited<ReturnType<Awaited<ReturnType<typeof placing>>['post']>>

/** In the form of every error of the API. */
function expectRetryable({ status, retryAfter, body }: Answer, code?: string): void {
  assert.equal([status, retryAfter, body.code], [503, '2', code], JSON.stringify(body))
  assert.match(body.detail, 'try again')
}

for (const key of ['once', undefined]) {
  const name = key === undefined ? 'without a key' : 'under an Idempotency-Key'
  test(`a call ${name} that was committed and not reported: 503 with Retry-After, and no phone rings for it`, async () => {
    const on = await placing()
    on.writer.silenceFrom(call => unitOf(call).some(({ type }) => type === 'call.insert'))
    const first = on.post(key)
    await until(() => on.placed().length === 1)
    await on.writer.end()
    expectRetryable(await first, 'END.5500')
    if (key !== undefined) {
      // The next writer is not there yet.
      expectRetryable(await on.post(key))
      await on.replaced()
      const again = await on.post(key)
      assert.equal([again.status, again.body.sid], [201, on.placed()[0]?.sid])
      assert.equal(await on.post(key), again)
    }
    await on.replaced()
    await until(() => on.placed()[0]?.status === 'failed')
    assert.is(on.placed().length, 1)
    assert.is(on.asked.length, 0)
    await on.close()
  })
}

test('a call that no writer was there for: 503 with Retry-After, and the retry makes the one call', async () => {
  const on = await placing()
  await on.writer.end()
  expectRetryable(await on.post('later'))
  await on.replaced()
  assert.is(on.placed().length, 0)
  const placed = await on.post('later')
  assert.is(placed.status, 201)
  assert.equal(await on.post('later'), placed)
  assert.is(on.placed().length, 1)
  await until(() => on.asked.length === 1 && on.placed()[0]?.ended_unix !== null)
  await on.close()
})

test.run()
