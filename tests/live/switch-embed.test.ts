import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type AccountUuid, type CallRecord, defaultSettings, type Settings, Switch } from '../../core/index.ts'
import type { DocumentFetch } from '../../core/ports/documents.ts'
import { freeMediaPorts } from '../rig/probes/ports.ts'
import { wavOf } from '../rig/probes/tone.ts'

// The switch as a program embeds it: real database, real RTP over loopback, no SIP peer and no HTTP.

interface Bed {
  readonly sauti: Switch
  readonly account: AccountUuid
  readonly posts: DocumentFetch[]
  readonly documents: Map<string, string>
  close(): Promise<void>
}

const caller = '+254700000001'
const callee = '+254700000002'

const mediaPorts = freeMediaPorts()

async function embedded(set: Partial<Settings> = {}): Promise<Bed> {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-switch-'))
  const posts: DocumentFetch[] = []
  const documents = new Map<string, string>()
  const sauti = await Switch.open(
    {
      ...defaultSettings,
      dataFolder: folder,
      sip: { realm: 'localhost', listeners: [{ transport: 'udp', address: '127.0.0.1', port: 0 }] },
      media: { ports: mediaPorts, workers: 0, timeoutSeconds: 60, weakFingerprints: false },
      ...set,
    },
    {
      documents: emit => ({
        execute: fetch => {
          posts.push(fetch)
          const { callId, requestId, url } = fetch
          const bytes = new TextEncoder().encode(documents.get(url) ?? '<Response/>')
          setTimeout(() => emit({ type: 'document.fetched', callId, requestId, bytes }), 5)
        },
        abandon: () => {},
      }),
    },
  )
  const { repositories } = sauti
  const now = Date.now()
  const made = await repositories.accounts.create({ name: 'Embedder', walletBalance: 1_000_000 }, now)
  const account = made.account.uuid
  for (const number of [caller, callee]) {
    const pool = await repositories.numbers.add(number, 0, now)
    if (pool === undefined) throw new Error('a number twice')
    await repositories.numbers.acquire(account, pool.uuid, now)
  }
  await repositories.rates.replace([
    {
      prefix: '+254',
      direction: 'outbound',
      ratePerMinute: 30_000,
      incrementSeconds: 60,
      minimumSeconds: 0,
      connectionFee: 0,
    },
  ])
  return {
    sauti,
    account,
    posts,
    documents,
    close: async () => {
      await sauti.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function until<T>(what: string, look: () => Promise<T | undefined> | T | undefined, ms = 5000): Promise<T> {
  const end = performance.now() + ms
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > end) throw new Error(`${what} did not happen`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

test('a program places a call between two numbers of its switch; one speaks, the other records', async () => {
  const bed = await embedded()
  try {
    const { sauti, account, documents } = bed
    const tone = new Int16Array(8000).map((_, at) => Math.round(8000 * Math.sin((2 * Math.PI * 1000 * at) / 8000)))
    const facts = { mediaFormat: 'wav', durationMs: 1000 }
    await sauti.repositories.assets.put(account, 'tone', wavOf(tone), facts, Date.now())
    await sauti.repositories.webhookSettings.change(account, {
      endpoint: { purpose: 'voice_inbound', url: 'https://embedder.test/in' },
    })
    documents.set('https://embedder.test/in', '<Response><Play asset="tone" loop="0"/></Response>')
    documents.set('https://embedder.test/out', '<Response><Record maxLength="1" playBeep="false"/></Response>')

    const placed = await sauti.calls.originate({
      accountId: account,
      to: callee,
      from: caller,
      url: 'https://embedder.test/out',
      customPayload: { order: 7 },
    })
    assert.ok(placed.ok, JSON.stringify(placed))
    assert.is(placed.call.status, 'initiated')
    const ended = async (): Promise<readonly CallRecord[] | undefined> => {
      const { calls } = await sauti.calls.list(account, { limit: 10, offset: 0 })
      return calls.length === 2 && calls.every(call => call.endedUnix !== null) ? calls : undefined
    }
    const calls = await until('the end of both calls', ended)
    const outbound = calls.find(call => call.direction === 'outbound')
    const inbound = calls.find(call => call.direction === 'inbound')
    assert.is(outbound?.status, 'completed')
    assert.is(outbound?.reasonCode, 'END.0202')
    assert.is(outbound?.cost, 30_000)
    assert.equal(outbound?.customPayload, { order: 7 })
    assert.is(inbound?.reasonCode, 'END.0200')
    assert.is(inbound?.fromNumber, caller)

    const events = (await sauti.store.events.after(account, 0, 100)).map(({ event }) => event)
    const recorded = await until('the recording', async () =>
      (await sauti.store.events.after(account, 0, 100)).find(({ event }) => event.code === 'REC.0200'),
    )
    assert.ok(events.some(event => event.code === 'BILL.0200'))
    const row = recorded.event.data.recording as { uuid: string; duration_seconds: number }
    assert.is(row.duration_seconds, 1)
    const month = new Date().toISOString().slice(0, 7).replace('-', '/')
    const file = join(sauti.settings.dataFolder, 'recordings', month, `${outbound?.sid}-${row.uuid}.wav`)
    const samples = new Int16Array(new Uint8Array(readFileSync(file).subarray(44)).buffer).subarray(1600)
    const loudness = Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length)
    assert.ok(Math.abs(loudness - 8000 / Math.SQRT2) < 150, `loudness ${loudness}`)

    assert.is((await sauti.repositories.accounts.get(account))?.walletBalance, 970_000)
    assert.is((await sauti.repositories.accounts.get(account))?.heldAmount, 0)
    assert.equal(await sauti.store.books.problems(), [])
    assert.is(bed.posts.length, 2)
    await until('rest', async () => ((await sauti.counters()).media.legs === 0 ? true : undefined))
  } finally {
    await bed.close()
  }
})

test('hang-up by the embedder gives the ended record, and again the same; live calls can be seen', async () => {
  const bed = await embedded()
  try {
    const { sauti, account, documents } = bed
    documents.set('https://embedder.test/out', '<Response><Pause length="60"/></Response>')
    await sauti.repositories.webhookSettings.change(account, {
      endpoint: { purpose: 'voice_inbound', url: 'https://embedder.test/in' },
    })
    documents.set('https://embedder.test/in', '<Response><Pause length="60"/></Response>')
    const placed = await sauti.calls.originate({ accountId: account, to: callee, from: caller, url: 'https://x.test/' })
    assert.ok(placed.ok)
    await until('two live calls', () => (sauti.calls.live().length === 2 ? true : undefined))
    assert.is(sauti.calls.liveOf(account), 2)
    const ended = await sauti.calls.hangup(account, placed.call.sid)
    assert.is(ended?.status, 'failed')
    assert.is(ended?.reasonCode, 'END.0201')
    assert.equal(await sauti.calls.hangup(account, placed.call.sid), ended)
    assert.is(await sauti.calls.hangup(account, 'CA0'), undefined)
    assert.is(await sauti.calls.hangup('another' as AccountUuid, placed.call.sid), undefined)
  } finally {
    await bed.close()
  }
})

test('health by a write, the listeners and the media; not while draining, not once closed', async () => {
  const bed = await embedded()
  try {
    assert.is(await bed.sauti.health(), true)
    assert.ok(bed.sauti.sipListeners[0]!.port > 0)
    const written = async () => (await bed.sauti.counters()).store.units
    const before = await written()
    for (const isGood of await Promise.all(Array.from({ length: 100 }, () => bed.sauti.health()))) assert.ok(isGood)
    assert.ok((await written()) - before < 5, 'who asks at once shares one answer')
    bed.sauti.drain(1)
    assert.is(bed.sauti.isDraining, true)
    assert.is(await bed.sauti.health(), false)
    const refused = await bed.sauti.calls.originate({
      accountId: bed.account,
      to: callee,
      from: caller,
      url: 'https://x.test/',
    })
    assert.is(refused.ok === false && refused.kind === 'rule' && refused.code, 'END.5503')
    bed.sauti.resume()
    assert.is(await bed.sauti.health(), true)
  } finally {
    await bed.close()
  }
  assert.is(await bed.sauti.health(), false)
})

test('closing ends live calls with END.5503 and bills them', async () => {
  const bed = await embedded()
  const { sauti, account, documents } = bed
  documents.set('https://x.test/', '<Response><Pause length="60"/></Response>')
  await sauti.repositories.webhookSettings.change(account, {
    endpoint: { purpose: 'voice_inbound', url: 'https://embedder.test/in' },
  })
  documents.set('https://embedder.test/in', '<Response><Play asset="missing"/><Pause length="60"/></Response>')
  const placed = await sauti.calls.originate({ accountId: account, to: callee, from: caller, url: 'https://x.test/' })
  assert.ok(placed.ok)
  await until('a ringing call', () => (sauti.calls.live().length === 2 ? true : undefined))
  const closed: string[] = []
  sauti.store.events.subscribe(({ event }) => {
    if (event.code === 'CALL.0400' || event.code === 'CALL.0300') closed.push(String(event.data.reason_code))
  })
  await bed.close()
  assert.is(closed.length, 2)
  assert.ok(closed.every(reason => reason === 'END.5503'))
})

test('an address that is in use rejects and leaves nothing open', async () => {
  const bed = await embedded()
  const folder = mkdtempSync(join(tmpdir(), 'sauti-switch-'))
  try {
    const [taken] = bed.sauti.sipListeners
    const open = () =>
      Switch.open(
        {
          ...bed.sauti.settings,
          dataFolder: folder,
          sip: { realm: 'localhost', listeners: [taken!] },
          media: { ports: mediaPorts, workers: 0, timeoutSeconds: 60, weakFingerprints: false },
        },
        { documents: () => ({ execute: () => {}, abandon: () => {} }) },
      )
    for (const _attempt of [1, 2]) {
      let fault: unknown
      await open().catch(error => {
        fault = error
      })
      assert.match(String(fault), /EADDRINUSE/)
      assert.is((fault as NodeJS.ErrnoException).code, 'EADDRINUSE')
      assert.match(String(fault), `sip: cannot listen at udp:127.0.0.1:${taken!.port}: another program uses it`)
      assert.instance((fault as Error).cause, Error)
    }
  } finally {
    await bed.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

test.run()
