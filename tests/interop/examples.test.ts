import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exampleTasks } from '../../scripts/docs/examples-page.ts'
import { expectStatus, setRates } from '../rig/beds/account.ts'
import { requirePeers } from '../rig/beds/debian.ts'
import { type Answer, SwitchProcess } from '../rig/beds/switch-process.ts'
import { freePort } from '../rig/probes/ports.ts'
import { sleep, until } from '../rig/probes/wait.ts'

// Every block of docs/examples.md runs as it stands: with BASE_URL and API_KEY, and the numbers that npm start makes.
const examples = suite('examples')

const [from, to] = ['+254700000101', '+254700000102']
const languages = { sh: ['sh', '-e'], ts: [process.execPath, '--disable-warning=ExperimentalWarning'], py: ['python3'] }
type Language = keyof typeof languages

let on: SwitchProcess
let key: string
let folder: string

examples.before(async () => {
  requirePeers('python3', 'curl', 'openssl')
  folder = mkdtempSync(join(tmpdir(), 'sauti-examples-'))
  cpSync(new URL('../../docs/examples/', import.meta.url).pathname, folder, { recursive: true })
  on = await SwitchProcess.start()
  await setRates(on)
  const made = expectStatus(await on.operator('POST', '/accounts', { name: 'Demo', wallet_balance: '1000' }), 201)
  key = made.body.key
  for (const number of [from, to]) {
    const { uuid } = expectStatus(await on.operator('POST', '/numbers', { number }), 201).body
    expectStatus(await api('POST', '/numbers/acquire', { uuid }), 200)
  }
  for (const last of [3, 4, 5]) {
    const order = { number: `+25470000010${last}`, setup_fee: '50' }
    expectStatus(await on.operator('POST', '/numbers', order), 201)
  }
})

examples.after(async () => {
  await on?.close()
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
})

const api = (method: string, path: string, body?: unknown): Promise<Answer> => on.request(key, method, path, body)

class Running {
  output = ''
  readonly ended: Promise<number | null>
  readonly #child: ChildProcess

  constructor(name: string, language: Language, environment: Record<string, string> = {}) {
    const [program = '', ...args] = languages[language]
    const child = spawn(program, [...args, `${name}.${language}`], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH ?? '', HOME: folder, BASE_URL: on.baseUrl, API_KEY: key, ...environment },
    })
    this.#child = child
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', chunk => {
        this.output += chunk
      })
    }
    this.ended = new Promise(resolve => child.on('close', resolve))
  }

  stop(): Promise<unknown> {
    this.#child.kill('SIGKILL')
    return this.ended
  }
}

async function run(name: string, language: Language): Promise<string> {
  const running = new Running(name, language)
  const code = await running.ended
  assert.is(code, 0, `${name}.${language} ended with ${code}:\n${running.output}`)
  return running.output
}

const newestCall = async () => (await api('GET', '/calls/?limit=1')).body.calls[0]
const newest = async (of: 'documents') => (await api('GET', `/${of}/?limit=1`)).body[of][0]

/** A server of the customer's own, until `during` is done. */
async function serving(name: string, language: Language, during: (server: Running, url: string) => Promise<void>) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const server = new Running(name, language, { PORT: String(port), PUBLIC_URL: url })
  try {
    await until(`${name}.${language} to listen`, () =>
      fetch(url, { method: 'POST', body: '{}' }).then(
        answer => answer.status === 403,
        () => false,
      ),
    ).catch(fault => assert.unreachable(`${fault}\n${server.output}`))
    await during(server, url)
  } finally {
    await server.stop()
  }
}

const place = async (url: string) => expectStatus(await api('POST', '/calls/originate', { to, from, url }), 201).body

/** What proves that an example did what it says. Each runs in each language, but where shells cannot. */
const proofs: Record<string, (language: Language) => Promise<void>> = {
  async 'set-webhook'(language) {
    await api('POST', '/account/webhooks', { url: '' })
    await run('set-webhook', language)
    const { body } = await api('GET', '/account/webhooks')
    assert.is(body.endpoints.voice_inbound, 'https://example.com/voice')
    assert.equal([body.fallback_mode, body.fallback_value], ['message', 'Please call again later.'])
  },

  async 'answer-call'(language) {
    if (language === 'sh') {
      const { signing_secret: secret } = (await api('GET', '/account/webhooks/secret')).body
      const shown = (await run('answer-call', 'sh')).trim()
      const body = /^body='(.*)'$/m.exec(readFileSync(join(folder, 'answer-call.sh'), 'utf8'))?.[1]
      const now = Math.floor(Date.now() / 1000)
      const made = [now, now - 1, now - 2].map(timestamp =>
        createHmac('sha256', secret).update(`https://example.com/voice${timestamp}${body}`).digest('base64'),
      )
      assert.ok(made.includes(shown), shown)
      return
    }
    await serving('answer-call', language, async (server, url) => {
      await api('POST', '/account/webhooks', { url: `${url}/voice` })
      const call = await place(`${url}/outbound`)
      await until('both requests', () => server.output.split(` from ${from}`).length === 3)
      const ended = await until('the end', async () => {
        const it = await newestCall()
        return it.status === 'completed' && it
      })
      assert.ok(ended.tts_seconds > 0)
      assert.ok(server.output.includes(call.sid))
    })
  },

  async 'place-call'(language) {
    const before = (await api('GET', '/calls/')).body.total
    const shown = await run('place-call', language)
    const [outbound] = (await api('GET', '/calls/?direction=outbound&limit=1')).body.calls
    assert.ok((await api('GET', '/calls/')).body.total > before)
    assert.ok(shown.includes(outbound.sid))
    assert.equal([outbound.from_number, outbound.to_number, outbound.customPayload], [from, to, { order: 7 }])
  },

  async 'hang-up'(language) {
    const pause = await api('POST', '/documents/', { name: 'p', body: '<Response><Pause length="60"/></Response>' })
    await api('POST', '/account/webhooks', { url: pause.body.url })
    await place(pause.body.url)
    const shown = await run('hang-up', language)
    assert.match(shown, /Hung up by API/)
  },

  async 'list-calls'(language) {
    const [call] = (await api('GET', '/calls/?direction=outbound&limit=1')).body.calls
    assert.ok((await run('list-calls', language)).includes(call.sid))
  },

  async 'get-number'(language) {
    const [free] = (await api('GET', '/numbers/available')).body
    await run('get-number', language)
    const owned = (await api('GET', '/numbers/')).body.find((each: { uuid: string }) => each.uuid === free.uuid)
    assert.equal(owned.friendly_name, 'Front desk')
    assert.equal(owned.webhook_inbound, { url: 'https://example.com/desk', source: 'custom' })
  },

  async 'host-document'(language) {
    await run('host-document', language)
    const document = await newest('documents')
    assert.equal([document.name, document.problems], ['Greeting', []])
    assert.is((await api('GET', '/account/webhooks')).body.endpoints.voice_inbound, document.url)
  },

  async 'play-asset'(language) {
    await api('DELETE', '/assets/welcome')
    await run('play-asset', language)
    assert.is((await api('GET', '/assets/')).body.assets[0].duration_seconds, 0.5)
    assert.is((await newest('documents')).body, '<Response><Play asset="welcome"/></Response>')
  },

  async 'mint-phone-token'(language) {
    const shown = JSON.parse(await run('mint-phone-token', language))
    assert.is(shown.token.split('.').length, 3)
    assert.ok(Array.isArray(shown.iceServers))
    // The clock of the shell counts seconds, and so does the address that is made of it.
    if (language === 'sh') await sleep(1000)
  },

  async 'receive-callbacks'(language) {
    if (language === 'sh') {
      await run('receive-callbacks', 'sh')
      assert.is((await api('GET', '/account/webhooks')).body.endpoints.status, 'https://example.com/status')
    } else {
      await serving('receive-callbacks', language, async (server, url) => {
        await until('the setting', async () =>
          (await api('GET', '/account/webhooks')).body.endpoints.status.startsWith(url),
        )
        const { sid } = await place('https://example.com/voice')
        await api('POST', '/calls/hangup', { sid })
        // Whether it was answered before the hang-up is a race that the example has no part in.
        await until(
          'the callbacks',
          () =>
            server.output.includes(`CALL.0100 call.initiated ${sid}`) &&
            /CALL\.0300 call\.completed|CALL\.0400 call\.failed/.test(server.output),
        )
      })
    }
    await api('POST', '/account/webhooks', { purpose: 'status', url: '' })
  },

  async 'event-stream'(language) {
    const running = new Running('event-stream', language)
    await until('the first event', () => running.output.includes('call.initiated'))
    const { sid } = await place('https://example.com/voice')
    await until('a live event', () => running.output.includes(sid)).catch(() => assert.unreachable(running.output))
    if (language === 'sh') assert.is(await running.ended, 0)
    else await running.stop()
  },

  async 'download-recording'(language) {
    const file = join(folder, 'recording.wav')
    rmSync(file, { force: true })
    await aRecording()
    await run('download-recording', language)
    assert.ok(existsSync(file))
    assert.is(readFileSync(file).toString('latin1', 0, 4), 'RIFF')
  },
}

/** One number records what the other plays. */
async function aRecording(): Promise<void> {
  if ((await api('GET', '/recordings/')).body.length > 0) return
  const play = '<Response><Play asset="welcome" loop="0"/></Response>'
  const record = '<Response><Record playBeep="false" maxLength="1"/></Response>'
  const [plays, records] = [
    await api('POST', '/documents/', { name: 'p', body: play }),
    await api('POST', '/documents/', { name: 'r', body: record }),
  ]
  await api('POST', '/account/webhooks', { url: plays.body.url })
  await place(records.body.url)
  await until('the recording', async () => (await api('GET', '/recordings/')).body[0]?.size_bytes > 0)
}

for (const [name] of exampleTasks) {
  for (const language of Object.keys(languages) as Language[]) {
    examples(`${name}.${language}`, async () => {
      const proof = proofs[name]
      if (proof === undefined) throw new Error('every example has its proof')
      await proof(language)
    })
  }
}

examples.run()
