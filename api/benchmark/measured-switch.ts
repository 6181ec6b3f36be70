import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { isSea } from 'node:sea'
import { setTimeout as pause } from 'node:timers/promises'

const loopback = '127.0.0.1'
/** Above the default ports of a switch, since one may be running here. */
const mediaPorts = '20002-31999'
const readyTimeoutMs = 30_000
const manyCalls = 100_000
const callsPerSecond = 1000
const carrierPrefix = '+255'
export const dialledNumber = '+255700000001'
const ownNumber = '+254700000001'
/** What a child needs to find its files; none of the operator's settings. */
const keptEnvironment = ['PATH', 'HOME', 'TMPDIR', 'XDG_CACHE_HOME', 'LD_LIBRARY_PATH', 'SAUTI_UNPACKED']

/**
 * Runs this program as a separate switch, in a folder that is removed afterwards, with an account whose calls go to a
 * carrier.
 */
export class MeasuredSwitch {
  readonly number = ownNumber
  readonly sipPort: number
  readonly carrierPort: number
  readonly #child: ChildProcess
  readonly #folder: string
  readonly #httpPort: number
  readonly #key: string
  #errors = ''

  private constructor(folder: string, ports: readonly [http: number, sip: number, carrier: number], key: string) {
    const [http, sip, carrier] = ports
    this.#folder = folder
    this.#httpPort = http
    this.#key = key
    this.sipPort = sip
    this.carrierPort = carrier
    const kept = keptEnvironment.flatMap(name => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value] as const]
    })
    const program = isSea() ? [] : [...process.execArgv, resolve(process.argv[1] ?? '')]
    this.#child = spawn(process.execPath, [...program, 'serve', '--admission-loop-delay', '0'], {
      // A settings file of the operator's folder is not for it.
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...Object.fromEntries(kept),
        SAUTI_DATA: join(folder, 'data'),
        SAUTI_HTTP: `${loopback}:${http}`,
        SAUTI_SIP: `udp:${loopback}:${sip}`,
        SAUTI_EXTERNAL_ADDRESS: loopback,
        SAUTI_MEDIA_PORTS: mediaPorts,
        SAUTI_OPERATOR_KEY: key,
        SAUTI_LOG: 'error',
      },
    })
    const note = (chunk: Buffer) => {
      this.#errors = `${this.#errors}${chunk}`.slice(-2000)
    }
    this.#child.stdout?.on('data', note)
    this.#child.stderr?.on('data', note)
  }

  static async start(): Promise<MeasuredSwitch> {
    const folder = mkdtempSync(join(tmpdir(), 'sauti-bench-'))
    const ports = [await freeTcpPort(), await freeUdpPort(), await freeUdpPort()] as const
    const measured = new MeasuredSwitch(folder, ports, randomBytes(24).toString('base64url'))
    try {
      await measured.#ready()
      await measured.#setUp()
      return measured
    } catch (error) {
      measured.close()
      throw error
    }
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Processor time of each thread since its start, ms, by its name and number: `media 4711`. */
  threadTimes(): ReadonlyMap<string, number> {
    const times = new Map<string, number>()
    for (const id of readdirSync(`/proc/${this.pid}/task`)) {
      try {
        const name = readFileSync(`/proc/${this.pid}/task/${id}/comm`, 'utf8').trim()
        const [onProcessor = '0'] = readFileSync(`/proc/${this.pid}/task/${id}/schedstat`, 'utf8').split(' ')
        times.set(`${Number(id) === this.pid ? 'signalling' : name} ${id}`, Number(onProcessor) / 1e6)
      } catch {
        // It ended meanwhile.
      }
    }
    return times
  }

  close(): void {
    this.#child.kill('SIGKILL')
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 })
  }

  async #ready(): Promise<void> {
    const until = performance.now() + readyTimeoutMs
    while (performance.now() < until) {
      if (this.#child.exitCode !== null) break
      const answer = await fetch(`http://${loopback}:${this.#httpPort}/health/`).catch(() => undefined)
      if (answer?.ok === true) return
      await pause(50)
    }
    throw new Error(`the switch that was to be measured did not start: ${this.#errors.trim() || 'it printed nothing'}`)
  }

  async #setUp(): Promise<void> {
    const operator = (method: string, path: string, body: unknown) =>
      this.#request(this.#key, method, `/operator${path}`, body)
    const rates = [{ prefix: carrierPrefix, direction: 'outbound', rate_per_minute: '1' }]
    await operator('PUT', '/rates', { rates })
    const made = await operator('POST', '/accounts', { name: 'bench', wallet_balance: '10000000' })
    const { key, account } = made as { key: string; account: { uuid: string } }
    const caps = { max_concurrent_calls: manyCalls, max_inbound_calls: manyCalls, max_dialled_legs: manyCalls }
    await operator('PATCH', `/accounts/${account.uuid}`, { ...caps, max_calls_per_second: callsPerSecond })
    const { uuid } = (await operator('POST', '/numbers', { number: ownNumber })) as { uuid: string }
    await this.#request(key, 'POST', '/numbers/acquire', { uuid })
    const trunk = { name: 'carrier', host: loopback, port: this.carrierPort, transport: 'udp' }
    await operator('POST', '/trunks', { ...trunk, prefixes: [carrierPrefix], inbound_hosts: [loopback] })
    const body = `<Response><Dial><Number>${dialledNumber}</Number></Dial></Response>`
    const { url } = (await this.#request(key, 'POST', '/documents/', { name: 'bench', body })) as { url: string }
    await this.#request(key, 'POST', '/account/webhooks', { purpose: 'voice_inbound', url })
  }

  async #request(key: string, method: string, path: string, body: unknown): Promise<unknown> {
    const answer = await fetch(`http://${loopback}:${this.#httpPort}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`)
    return text === '' ? undefined : JSON.parse(text)
  }
}

async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4')
  socket.bind(0, loopback)
  await once(socket, 'listening')
  const { port } = socket.address()
  socket.close()
  await once(socket, 'close')
  return port
}

async function freeTcpPort(): Promise<number> {
  const server = createServer()
  server.listen(0, loopback)
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
