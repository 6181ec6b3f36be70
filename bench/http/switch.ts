import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSwitch } from '../../api/open-switch.ts'
import { serve } from '../../api/serving.ts'
import { silentLog } from '../../core/adapters/system/silent-log.ts'
import { defaultSettings } from '../../core/index.ts'
import { serveQuestions } from '../subject.ts'
import type { HttpSubject } from './server.ts'

// The whole switch with one rich account: two numbers, the second of which declines every call.
serveQuestions<'open'>(async (): Promise<HttpSubject> => {
  const operatorKey = 'bench-operator-key-0123456789abcdef'
  const dataFolder = mkdtempSync(join(tmpdir(), 'sauti-bench-'))
  process.on('exit', () => rmSync(dataFolder, { recursive: true, force: true }))
  const serving = await serve(
    {
      ...defaultSettings,
      dataFolder,
      http: [{ scheme: 'http', address: '127.0.0.1', port: 0 }],
      sip: { listeners: [{ transport: 'udp', address: '127.0.0.1', port: 0 }], realm: 'localhost' },
      media: { ...defaultSettings.media, workers: 1 },
      operatorKey,
      // As many requests as it answers are wanted, not those that leave calls their time.
      admission: {
        loopDelayMs: 0,
        inviteWaitMs: 0,
        storeBacklog: 0,
        mediaLatePercent: 0,
        mediaBusyPercent: 0,
        memoryPercent: 0,
      },
    },
    silentLog,
    openSwitch,
  )
  const url = `http://127.0.0.1:${serving.http[0]!.port}`
  const ask = async (key: string, method: string, path: string, body: unknown) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Record<string, string>
  }
  const made = (await ask(operatorKey, 'POST', '/operator/accounts', {
    name: 'Bench',
    wallet_balance: '1000000',
    max_concurrent_calls: 100_000,
    max_calls_per_second: 100_000,
  })) as unknown as { key: string }
  await ask(operatorKey, 'PUT', '/operator/rates', {
    rates: [{ prefix: '+254', direction: 'outbound', rate_per_minute: '1' }],
  })
  const numbers = ['+254711000001', '+254711000002']
  for (const number of numbers) {
    const { uuid } = await ask(operatorKey, 'POST', '/operator/numbers', { number })
    await ask(made.key, 'POST', '/numbers/acquire', { uuid })
  }
  const document = await ask(made.key, 'POST', '/documents/', {
    name: 'busy',
    body: '<Response><Hangup reason="busy"/></Response>',
  })
  await ask(made.key, 'POST', '/account/webhooks', { url: document.url })
  return {
    url,
    headers: { authorization: `Bearer ${made.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: numbers[1], from: numbers[0], url: document.url }),
  }
})
