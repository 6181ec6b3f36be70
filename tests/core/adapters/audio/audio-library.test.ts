import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AudioLibrary, type SpeechEngine } from '../../../../core/adapters/audio/index.ts'
import { SpeechFault } from '../../../../core/adapters/audio/speech-engine.ts'
import { spokenPieces } from '../../../../core/adapters/audio/spoken-pieces.ts'
import type { HttpAnswer, HttpClient } from '../../../../core/adapters/http/index.ts'
import { silentLog } from '../../../../core/adapters/system/silent-log.ts'
import type { AccountUuid, CallUuid } from '../../../../core/model/ids.ts'
import type { AudioCommand, AudioEvent } from '../../../../core/ports/audio.ts'
import { until } from '../../../rig/probes/wait.ts'

const test = suite<{ folder: string }>('audio library', { folder: '' })
test.before.each(context => {
  context.folder = mkdtempSync(join(tmpdir(), 'sauti-audio-'))
})
test.after.each(({ folder }) => rmSync(folder, { recursive: true, force: true }))

const callId = 'call-1' as CallUuid
const accountId = 'account-1' as AccountUuid

/** Mono, 16-bit, 8 kHz, `ms` long, of one sample value. */
function wavOf(ms: number, value = 0): Buffer {
  const wav = Buffer.from('524946460000000057415645666d74201000000001000100401f0000803e00000200100064617461', 'hex')
  const samples = Buffer.alloc(ms * 16, value)
  const size = Buffer.alloc(4)
  size.writeUInt32LE(samples.length)
  const whole = Buffer.concat([wav, size, samples])
  whole.writeUInt32LE(whole.length - 8, 4)
  return whole
}

const answered = (fields: Partial<Extract<HttpAnswer, { ok: true }>>): HttpAnswer => ({
  ok: true,
  status: 200,
  contentType: 'audio/wav',
  etag: '',
  location: '',
  body: wavOf(100),
  ...fields,
})

/** Bodies come in one piece. */
const inPieces = (http: Pick<HttpClient, 'get'>): Pick<HttpClient, 'get'> => ({
  get: async (url, options) => {
    const answer = await http.get(url, options)
    if (answer.ok && answer.status === 200) await options.eachPiece?.(answer.body)
    return answer
  },
})

function bed(
  folder: string,
  parts: { http?: Pick<HttpClient, 'get'>; engine?: SpeechEngine; maxUrlBytes?: number } = {},
) {
  const asked: string[] = []
  const events: AudioEvent[] = []
  let wake = () => {}
  const library = new AudioLibrary({
    cacheFolder: folder,
    engine: parts.engine ?? {
      prepare: async ({ text, voice }) => ({
        identity: text,
        lane: { name: 'test', width: 2 },
        ...(voice === undefined ? {} : { unknownVoice: voice }),
        speak: () =>
          spokenPieces([text], async () => {
            if (text === 'fail') throw new SpeechFault('no luck')
            return wavOf(500)
          }),
      }),
      close() {},
    },
    http: inPieces(parts.http ?? { get: async () => ({ ok: false, fault: 'transport', detail: 'no network here' }) }),
    assets: {
      audioOf: async (account, slug) => {
        asked.push(`${account} ${slug}`)
        return slug === 'hello' ? { path: '/assets/hello', durationMs: 1500, mediaFormat: 'wav' } : undefined
      },
    },
    emit: event => {
      events.push(event)
      wake()
    },
    log: silentLog,
    ...(parts.maxUrlBytes === undefined ? {} : { maxUrlBytes: parts.maxUrlBytes }),
  })
  let ids = 0
  /** The one event that a command gets, without its ids. */
  const ask = async (command: Bare): Promise<Record<string, unknown>> => {
    const requestId = `r${++ids}`
    const before = events.length
    library.execute({ ...command, callId, requestId })
    assert.is(events.length, before, 'an event came within execute')
    await new Promise<void>(resolve => {
      wake = resolve
    })
    const event = events.at(-1)
    if (event === undefined) throw new Error('no event came')
    const { callId: forCall, requestId: forRequest, ...rest } = event
    assert.equal([forCall, forRequest, events.length], [callId, requestId, before + 1])
    return rest
  }
  return { library, asked, events, ask }
}
type Bare = AudioCommand extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'callId' | 'requestId'>
    : never
  : never
const speak = (text: string) => ({ type: 'audio.speak', accountId, text }) as const
const load = (source: { asset: string } | { url: string }): Bare => ({ type: 'audio.load', accountId, source })

test('assets are found by account and slug; what is no slug is not even looked for', async ({ folder }) => {
  const { ask, asked } = bed(folder)
  assert.equal(await ask(load({ asset: 'hello' })), { type: 'audio.ready', path: '/assets/hello', durationMs: 1500 })
  for (const asset of ['missing', '../../../../etc/passwd', 'Hello', '', 'a'.repeat(65), 'a/b', 'a\0b', 'hello.wav']) {
    const event = await ask(load({ asset }))
    assert.is(event.code, 'PLAY.0404', asset)
    assert.ok(String(event.detail).length < 100)
  }
  assert.equal(asked, ['account-1 hello', 'account-1 missing'])
})

test('speech: ready, unknown voice reported, failure reported', async ({ folder }) => {
  const { ask } = bed(folder)
  const spoken = await ask(speak('Hello'))
  assert.equal([spoken.type, spoken.durationMs], ['audio.ready', 500])
  assert.equal(readFileSync(String(spoken.path)), wavOf(500))
  const other = await ask({ ...speak('Hello'), voice: 'Polly' })
  assert.equal(other, { ...spoken, unknownVoice: 'Polly' })
  assert.equal(await ask(speak('fail')), {
    type: 'audio.failed',
    code: 'SAY.0500',
    detail: 'no luck',
  })
})

/** An engine that speaks one text at a time and ends each at `finish`; `begun`: the texts in their order. */
function slowEngine() {
  const begun: string[] = []
  let finish = () => {}
  const engine: SpeechEngine = {
    prepare: async ({ text }) => ({
      identity: text,
      lane: { name: 'slow', width: 1 },
      speak: () =>
        spokenPieces([text], async () => {
          begun.push(text)
          await new Promise<void>(resolve => {
            finish = resolve
          })
          return wavOf(100)
        }),
    }),
    close() {},
  }
  return { engine, begun, finish: () => finish() }
}
const soon = () => new Promise(resolve => setTimeout(resolve, 20))

test('speech: an account with many calls waits for itself, in the order of arrival; others take turns with it', async ({
  folder,
}) => {
  const { engine, begun, finish } = slowEngine()
  const { library, events } = bed(folder, { engine })
  for (let at = 0; at < 20; at++)
    library.execute({ ...speak(`a${at}`), callId: `call-a${at}` as CallUuid, requestId: `a${at}` })
  await until('the first text to begin', () => begun.length === 1)
  const other = { ...speak('b'), accountId: 'account-2' as AccountUuid }
  library.execute({ ...other, callId: 'call-b' as CallUuid, requestId: 'b' })
  await soon()
  for (let spoken = 1; spoken <= 21; spoken++) {
    finish()
    await until(`${spoken} texts`, () => events.length === spoken && (begun.length === spoken + 1 || spoken === 21))
  }
  const order = Array.from({ length: 20 }, (_, at) => `a${at}`)
  assert.equal(begun, ['a0', 'a1', 'b', ...order.slice(2)])
  library.close()
})

test('speech: the same words for two accounts are spoken at each one’s own turn', async ({ folder }) => {
  const { engine, begun, finish } = slowEngine()
  const { library, events } = bed(folder, { engine })
  const texts = ['a0', 'a1', 'a2', 'same']
  for (const text of texts) library.execute({ ...speak(text), callId: `call-${text}` as CallUuid, requestId: text })
  await until('the first text to begin', () => begun.length === 1)
  const other = { ...speak('same'), accountId: 'account-2' as AccountUuid }
  library.execute({ ...other, callId: 'call-b' as CallUuid, requestId: 'b' })
  await soon()
  for (let spoken = 1; spoken <= 5; spoken++) {
    finish()
    await until(`${spoken} texts`, () => events.length === spoken && (begun.length === spoken + 1 || spoken === 5))
  }
  assert.equal(
    events.map(({ requestId }) => requestId),
    ['a0', 'a1', 'b', 'a2', 'same'],
  )
  assert.ok(events.every(({ type }) => type === 'audio.ready'))
  library.close()
})

test('speech: one account can not take all places of those that wait', async ({ folder }) => {
  const { engine, begun, finish } = slowEngine()
  const { library, events } = bed(folder, { engine })
  const asked = 1100
  for (let at = 0; at < asked; at++)
    library.execute({ ...speak(`a${at}`), callId: `call-${at}` as CallUuid, requestId: `a${at}` })
  await until('what is too much to be refused', () => events.length >= asked - 1001)
  assert.is(events.length, asked - 1001, 'one is spoken, and a thousand wait')
  assert.ok(events.every(event => event.type === 'audio.failed' && event.code === 'SAY.0500'))
  const other = { ...speak('b'), accountId: 'account-2' as AccountUuid }
  library.execute({ ...other, callId: 'call-b' as CallUuid, requestId: 'b' })
  await soon()
  for (let turns = 1; turns <= 2; turns++) {
    finish()
    await until('the next turn', () => begun.length === turns + 1)
  }
  assert.equal(begun, ['a0', 'a1', 'b'])
  library.close()
})

test('a URL that gives audio is played, and asked for again with its ETag', async ({ folder }) => {
  const seen: (string | undefined)[] = []
  let etag = '"v1"'
  let body = wavOf(100, 1)
  const { ask } = bed(folder, {
    http: {
      get: async (url, options) => {
        assert.equal([url, options.maxBytes, options.timeoutMs], ['http://a.test/x', 20 * 1024 * 1024, 10_000])
        seen.push(options.etag)
        return options.etag === etag ? answered({ status: 304, body: new Uint8Array() }) : answered({ etag, body })
      },
    },
  })
  const first = await ask(load({ url: 'http://a.test/x' }))
  assert.is(first.durationMs, 100)
  assert.equal(readFileSync(String(first.path)), body)
  assert.equal(await ask(load({ url: 'http://a.test/x' })), first)
  // The copy vanished: asked for again, without an ETag.
  rmSync(String(first.path))
  assert.equal(await ask(load({ url: 'http://a.test/x' })), first)
  etag = '"v2"'
  body = wavOf(200, 2)
  assert.is((await ask(load({ url: 'http://a.test/x' }))).durationMs, 200)
  etag = ''
  assert.is((await ask(load({ url: 'http://a.test/x' }))).durationMs, 200)
  await ask(load({ url: 'http://a.test/x' }))
  assert.equal(seen, [undefined, '"v1"', undefined, '"v1"', '"v2"', undefined])
})

test('redirects are followed, relative ones too, within the one time; a ring of them ends', async ({ folder }) => {
  const seen: string[] = []
  const to = (status: number, location: string) => answered({ status, location, body: new Uint8Array() })
  const { ask } = bed(folder, {
    http: {
      get: async (url, { timeoutMs }) => {
        assert.ok(timeoutMs > 0 && timeoutMs <= 10_000)
        seen.push(url)
        if (url === 'http://a.test/x/1') return to(302, '../2')
        if (url === 'http://a.test/2') return to(307, 'https://b.test/3')
        if (url === 'https://b.test/3') return answered({})
        if (url === 'http://a.test/nowhere') return to(302, '')
        return to(301, '/ring')
      },
    },
  })
  assert.is((await ask(load({ url: 'http://a.test/x/1' }))).durationMs, 100)
  assert.equal(seen.splice(0), ['http://a.test/x/1', 'http://a.test/2', 'https://b.test/3'])
  assert.is((await ask(load({ url: 'http://a.test/ring' }))).code, 'PLAY.0400')
  assert.is(seen.splice(0).length, 6)
  assert.is((await ask(load({ url: 'http://a.test/nowhere' }))).code, 'PLAY.0400')
})

test('calls that want the same URL at the same time share one fetch', async ({ folder }) => {
  let fetches = 0
  const { library, events } = bed(folder, {
    http: {
      get: async () => {
        fetches++
        await new Promise(resolve => setTimeout(resolve, 20))
        return answered({})
      },
    },
  })
  for (let at = 0; at < 100; at++) library.execute({ ...load({ url: 'http://a.test/x' }), callId, requestId: `r${at}` })
  while (events.length < 100) await new Promise(resolve => setTimeout(resolve, 5))
  assert.is(fetches, 1)
  assert.ok(events.every(event => event.type === 'audio.ready'))
  assert.is(new Set(events.map(event => event.requestId)).size, 100)
})

test('every way in which a URL can fail', async ({ folder }) => {
  const rows: [answer: HttpAnswer, code: string][] = [
    [{ ok: false, fault: 'timeout', detail: 'more than 10 s' }, 'PLAY.0408'],
    [{ ok: false, fault: 'too-large', detail: 'more than 20 MB' }, 'PLAY.0413'],
    [{ ok: false, fault: 'refused-address', detail: '169.254.169.254 is link-local' }, 'PLAY.0400'],
    [{ ok: false, fault: 'transport', detail: 'ECONNREFUSED' }, 'PLAY.0400'],
    [{ ok: false, fault: 'aborted', detail: '' }, 'PLAY.0400'],
    [answered({ status: 404 }), 'PLAY.0404'],
    [answered({ status: 410 }), 'PLAY.0404'],
    [answered({ status: 500 }), 'PLAY.0400'],
    [answered({ status: 204 }), 'PLAY.0400'],
    [answered({ status: 304 }), 'PLAY.0400'],
    [answered({ body: Buffer.from('<html>') }), 'PLAY.0415'],
    [answered({ body: Buffer.from('fLaC') }), 'PLAY.0415'],
    [answered({ body: Buffer.from('ID3\u0004') }), 'PLAY.0400'],
    [answered({ body: wavOf(0) }), 'PLAY.0400'],
    [answered({ body: wavOf(10).subarray(0, 30) }), 'PLAY.0400'],
  ]
  for (const [answer, code] of rows) {
    const { ask } = bed(folder, { http: { get: async () => answer } })
    const event = await ask(load({ url: 'http://a.test/x' }))
    assert.equal([event.type, event.code], ['audio.failed', code], JSON.stringify(answer).slice(0, 80))
  }
})

test('what throws below is reported as a failure', async ({ folder }) => {
  const { ask } = bed(folder, { http: { get: () => Promise.reject(new Error('a bug')) } })
  assert.equal(await ask(load({ url: 'http://a.test/x' })), {
    type: 'audio.failed',
    code: 'PLAY.0400',
    detail: 'a bug',
  })
})

test('an account whose Plays fill the cache fails alone', async ({ folder }) => {
  let plays = 0
  const http = { get: async () => answered({ body: wavOf(100, ++plays) }) }
  const { ask } = bed(folder, { http, maxUrlBytes: 4000 })
  const fates: unknown[] = []
  for (const account of ['1', '1', '1', '1', '1', '2', '2'])
    fates.push((await ask({ ...load({ url: `http://a.test/${plays}` }), accountId: account as AccountUuid })).type)
  const [ready, failed] = ['audio.ready', 'audio.failed']
  assert.equal(fates, [ready, ready, failed, failed, failed, ready, ready])
})

test('after close nothing is reported', async ({ folder }) => {
  const { library, events } = bed(folder)
  library.execute({ ...speak('x'), callId, requestId: 'r' })
  library.close()
  await new Promise(resolve => setTimeout(resolve, 50))
  assert.equal(events, [])
})

test.run()
