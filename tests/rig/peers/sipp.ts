import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { requirePeers } from '../beds/debian.ts'
import { until } from '../probes/wait.ts'

/**
 * Every sipp binds two ports for media that it never uses, out of the same hundred pairs of its media address: fifty at
 * once would be all that there can be, so they have addresses of their own.
 */
const mediaAddresses = 200
let made = 0

const scenarios = new URL('../../interop/sipp', import.meta.url).pathname

export interface SippOptions {
  /** File in tests/interop/sipp, or elsewhere by its path, without its ending. */
  readonly scenario: string
  /** The UAC's target `host:port`; none for a UAS. */
  readonly remote?: string
  readonly localPort: number
  readonly rtpPort: number
  readonly transport?: 'udp' | 'tcp'
  /** Of its SIP, and in its SDP. Default 127.0.0.1. */
  readonly address?: '127.0.0.1' | '::1'
  /** User part called. */
  readonly service?: string
  readonly from?: string
  readonly calls?: number
  readonly callsPerSecond?: number
  /** The scenario's pauses, ms. */
  readonly pauseMs?: number
  readonly keys?: Readonly<Record<string, string>>
  readonly timeoutSeconds?: number
  /** One OPTIONS is answered too, and counts as a call. */
  readonly answersOptions?: true
  /** What comes to `[media_ip]:[media_port]` is sent back. */
  readonly echoesRtp?: true
  /** That it may use, as taskset writes them. Default: all. */
  readonly processors?: string | undefined
  /** Keeps every message, for the test that fails. Default true. */
  readonly trace?: boolean
}

const optionsAnswer = `
  <recv request="OPTIONS" optional="true" next="options"/>`
const optionsEnd = `
  <nop next="end"/>
  <label id="options"/>
  <send><![CDATA[
SIP/2.0 200 OK
[last_Via:]
[last_From:]
[last_To:];tag=[pid]options[call_number]
[last_Call-ID:]
[last_CSeq:]
Content-Length: 0

]]></send>
  <label id="end"/>
  `

/** The same scenario, for calls of which one is an OPTIONS. */
function withOptions(scenario: string, folder: string): string {
  const file = join(folder, 'with-options.xml')
  const text = readFileSync(scenario, 'utf8')
  writeFileSync(
    file,
    text.replace(/<scenario[^>]*>/, `$&${optionsAnswer}`).replace(/<timewait|<\/scenario>/, `${optionsEnd}$&`),
  )
  return file
}

/** The same scenario with SDP of IPv6: sipp itself writes its address in brackets there. */
function overIpv6(scenario: string, folder: string): string {
  const file = join(folder, 'over-ipv6.xml')
  writeFileSync(file, readFileSync(scenario, 'utf8').replaceAll('IN IP4 [local_ip]', 'IN IP6 ::1'))
  return file
}

/** One sipp process; `done` resolves with its exit code (0 = all its calls went by the scenario) and messages. */
export class Sipp {
  readonly done: Promise<{ code: number | null; messages: string; errors: string }>
  readonly #child: ChildProcess
  readonly #folder: string
  readonly #port: number

  constructor(options: SippOptions) {
    requirePeers('sipp')
    const folder = mkdtempSync(join(tmpdir(), 'sauti-sipp-'))
    this.#folder = folder
    this.#port = options.localPort
    const address = options.address ?? '127.0.0.1'
    const written = resolve(scenarios, `${options.scenario}.xml`)
    const scenario = address === '::1' ? overIpv6(written, folder) : written
    const keys = { rtp_port: String(options.rtpPort), caller: options.from ?? '+254700000001', ...options.keys }
    const args = [
      ...(options.remote === undefined ? [] : [options.remote]),
      ...['-sf', options.answersOptions === true ? withOptions(scenario, folder) : scenario],
      ...['-i', address, '-p', String(options.localPort)],
      ...['-mi', address === '::1' ? address : `127.0.1.${1 + (made++ % mediaAddresses)}`],
      ...['-t', options.transport === 'tcp' ? 't1' : 'u1'],
      ...[
        '-m',
        String((options.calls ?? 1) + (options.answersOptions === true ? 1 : 0)),
        '-r',
        String(options.callsPerSecond ?? 10),
      ],
      ...['-d', String(options.pauseMs ?? 1000)],
      ...['-timeout', String(options.timeoutSeconds ?? 40), '-timeout_error', '-nostdin', '-skip_rlimit'],
      ...(options.echoesRtp === true ? ['-rtp_echo', '-mp', String(options.rtpPort)] : []),
      ...(options.trace === false ? [] : ['-trace_msg', '-trace_err']),
      ...(options.service === undefined ? [] : ['-s', options.service]),
      ...Object.entries(keys).flatMap(([name, value]) => ['-key', name, value]),
    ]
    const pin = options.processors === undefined ? [] : ['taskset', '-c', options.processors]
    const [program, ...all] = [...pin, 'sipp', ...args] as [string, ...string[]]
    const child = spawn(program, all, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    let errors = ''
    child.stdout.resume()
    child.stderr.on('data', chunk => {
      errors += chunk
    })
    this.done = new Promise(resolve => {
      child.on('close', code => {
        const result = { code, messages: this.#read('_messages'), errors: errors + this.#read('_errors') }
        rmSync(folder, { recursive: true, force: true })
        resolve(result)
      })
    })
  }

  /** Resolves when it listens: a loaded machine takes its time. */
  async listening(): Promise<void> {
    await until(`sipp on port ${this.#port}`, () => isBound(this.#port))
  }

  /** The trace of messages while it runs; empty when it has ended. */
  messagesSoFar(): string {
    return existsSync(this.#folder) ? this.#read('_messages') : ''
  }

  #read(part: string): string {
    return readdirSync(this.#folder)
      .filter(file => file.includes(part))
      .map(file => readFileSync(join(this.#folder, file), 'utf8'))
      .join('\n')
  }

  stop(): void {
    this.#child.kill('SIGKILL')
  }
}

/** The media port in the message that a peer has got from the switch, read from its own trace while it runs. */
export function mediaPortSeen(peer: Sipp, startLine: string): number | undefined {
  const messages = peer.messagesSoFar()
  const at = messages.indexOf(`\n${startLine}`)
  const match = at === -1 ? null : /m=audio (\d+)/.exec(messages.slice(at))
  return match === null ? undefined : Number(match[1])
}

/** Some socket of 127.0.0.1 or ::1 has the port, by UDP or for TCP connections: as the kernel lists them. */
function isBound(port: number): boolean {
  const ends = `:${port.toString(16).toUpperCase().padStart(4, '0')} `
  const four = `0100007F${ends}`
  const six = `${'0'.repeat(24)}01000000${ends}`
  const table = (name: string) => readFileSync(`/proc/net/${name}`, 'utf8')
  return (
    ['udp', 'tcp'].some(name => table(name).includes(four)) || ['udp6', 'tcp6'].some(name => table(name).includes(six))
  )
}
