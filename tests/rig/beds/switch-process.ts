import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freeMediaPorts, freePort, releaseMediaPorts } from '../probes/ports.ts'
import { until } from '../probes/wait.ts'

const root = new URL('../../..', import.meta.url).pathname
/** A bound for a machine that is busy with everything else, too. */
const readyTimeoutMs = 40_000

/**
 * The program under test and its first arguments. SAUTI_TEST_PROGRAM names another one than the checkout's sources: `npm test`
 * names what it has compiled of them, a trial the one executable (`dist/sauti-linux-x64`) or what the package starts
 * (`dist/api/cli/program.js`).
 */
function programUnderTest(): readonly [program: string, first: readonly string[]] {
  const other = process.env.SAUTI_TEST_PROGRAM
  if (other === undefined) return [process.execPath, ['--disable-warning=ExperimentalWarning', 'api/cli/main.ts']]
  return other.endsWith('.js') ? [process.execPath, [other]] : [other, []]
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: any
}

/** Flags by which no call is refused for load. */
const admitsAll: readonly string[] = [
  ...['loop-delay', 'invite-wait', 'store-backlog', 'media-late', 'media-busy', 'memory'],
].flatMap(what => [`--admission-${what}`, '0'])

/** `sauti serve` as a process of its own, in a data folder of its own, spoken to only from outside. */
export class SwitchProcess {
  readonly dataFolder: string
  readonly httpPort: number
  readonly sipPort: number
  readonly mediaPorts: readonly [number, number]
  readonly operatorKey = 'operator-key-of-the-bed-0123456789'
  readonly log: string[] = []
  readonly #extraEnv: Record<string, string>
  readonly #flags: readonly string[]
  readonly #httpAddress: string
  #child: ChildProcess | undefined

  private constructor(
    ports: { http: number; sip: number; media: readonly [number, number] },
    extraEnv: Record<string, string>,
    httpAddress: string,
    flags: readonly string[],
  ) {
    this.dataFolder = mkdtempSync(join(tmpdir(), 'sauti-bed-'))
    this.httpPort = ports.http
    this.sipPort = ports.sip
    this.mediaPorts = ports.media
    this.#extraEnv = extraEnv
    this.#httpAddress = httpAddress
    this.#flags = flags.some(flag => flag.startsWith('--admission-')) ? flags : [...admitsAll, ...flags]
  }

  /**
   * `httpAddress`: 0.0.0.0 where other hosts than this one are to reach it. `flags`: more of `sauti serve`; without one of
   * admission no call is refused for load, as the machine may do other things beside the test.
   */
  static async start(
    extraEnv: Record<string, string> = {},
    httpAddress = '127.0.0.1',
    flags: readonly string[] = [],
  ): Promise<SwitchProcess> {
    const ports = { http: await freePort(), sip: await freePort(), media: freeMediaPorts() }
    const made = new SwitchProcess(ports, extraEnv, httpAddress, flags)
    await made.open()
    return made
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.httpPort}`
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /** Starts (again) on the same data folder and ports; resolves when the switch says that it is ready. */
  async open(): Promise<number> {
    const started = Date.now()
    const [program, first] = programUnderTest()
    const child = spawn(program, [...first, 'serve', ...this.#flags], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        SAUTI_DATA: this.dataFolder,
        SAUTI_HTTP: `${this.#httpAddress}:${this.httpPort}`,
        SAUTI_PUBLIC_URL: this.baseUrl,
        SAUTI_SIP: `udp:127.0.0.1:${this.sipPort},tcp:127.0.0.1:${this.sipPort}`,
        SAUTI_EXTERNAL_ADDRESS: '127.0.0.1',
        SAUTI_MEDIA_PORTS: `${this.mediaPorts[0]}-${this.mediaPorts[1]}`,
        SAUTI_OPERATOR_KEY: this.operatorKey,
        SAUTI_ALLOW_PRIVATE_URLS: '1',
        SAUTI_LOG: 'debug',
        ...this.#extraEnv,
      },
    })
    this.#child = child
    let isReady = false
    let rest = ''
    const onOutput = (chunk: Buffer) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        this.log.push(line)
        if (line.includes('"msg":"ready"')) isReady = true
      }
    }
    child.stdout?.on('data', onOutput)
    child.stderr?.on('data', onOutput)
    try {
      await until('the switch to be ready', () => isReady || (child.exitCode !== null && 'ended'), readyTimeoutMs)
      if (child.exitCode !== null) throw new Error(`the switch ended with ${child.exitCode}`)
    } catch (fault) {
      child.kill('SIGKILL')
      const failure = `${String(fault)}\n${this.log.slice(-30).join('\n')}`
      // The runner of tests keeps silent about what a hook throws.
      process.stderr.write(`${failure}\n`)
      throw new Error(failure)
    }
    return Date.now() - started
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
    const ended = new Promise<number | null>(resolve => child.once('exit', code => resolve(code)))
    child.kill(signal)
    return ended
  }

  async close(): Promise<void> {
    await this.kill('SIGKILL')
    releaseMediaPorts(this.mediaPorts[0])
    rmSync(this.dataFolder, { recursive: true, force: true })
  }

  async request(
    key: string,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const isBytes = body instanceof Uint8Array
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: {
        ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined || isBytes ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isBytes ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
    })
    const text = await response.text()
    let parsed: unknown = text
    try {
      parsed = JSON.parse(text)
    } catch {}
    return { status: response.status, headers: response.headers, body: parsed }
  }

  operator(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.request(this.operatorKey, method, `/operator${path}`, body)
  }

  /** Runs the CLI against this switch's folder and address. */
  cli(...args: readonly string[]): Promise<{ code: number | null; output: string }> {
    return new Promise(resolve => {
      const [program, first] = programUnderTest()
      const child = spawn(program, [...first, ...args], {
        cwd: root,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...process.env,
          SAUTI_DATA: this.dataFolder,
          SAUTI_HTTP: `127.0.0.1:${this.httpPort}`,
          SAUTI_PUBLIC_URL: this.baseUrl,
          SAUTI_OPERATOR_KEY: this.operatorKey,
        },
      })
      let output = ''
      child.stdout.on('data', chunk => {
        output += chunk
      })
      child.stderr.on('data', chunk => {
        output += chunk
      })
      child.on('close', code => resolve({ code, output }))
    })
  }
}
