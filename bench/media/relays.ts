import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../../tests/rig/probes/ports.ts'
import type { Legs } from '../relay/legs.ts'
import { Subject } from '../subject.ts'

/** A program whose legs take RTP, in a process of its own. Leg 2 n of them is the near one of a pair, 2 n + 1 the far one. */
export interface Relay {
  readonly name: string
  readonly pid: number
  /** Where each leg takes its RTP. */
  readonly ports: readonly number[]
  close(): void
}

export interface RelayOrder {
  readonly pairs: number
  readonly nearPort: number
  readonly farPort: number
}

const peersOf = ({ pairs, nearPort, farPort }: RelayOrder): readonly number[] =>
  Array.from({ length: 2 * pairs }, (_, leg) => (leg % 2 === 0 ? nearPort : farPort))

/** The bare relay on `node:dgram`. */
export async function dgramRelay(order: RelayOrder): Promise<Relay> {
  const subject = new Subject(new URL('../relay/plain-dgram.ts', import.meta.url))
  const legs: Legs = { legs: 2 * order.pairs, peerPorts: peersOf(order) }
  const ports = await subject.ask<readonly number[]>(legs)
  return { name: 'node:dgram', pid: subject.pid, ports, close: () => subject.stop() }
}

/** The relay in C, built now; undefined where there is no compiler. */
export async function cRelay(order: RelayOrder): Promise<Relay | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-relay-'))
  const program = join(folder, 'relay')
  try {
    execFileSync('cc', ['-O2', '-o', program, new URL('./relay.c', import.meta.url).pathname], { stdio: 'ignore' })
  } catch {
    rmSync(folder, { recursive: true, force: true })
    return undefined
  }
  const child = spawn(program, [String(2 * order.pairs)], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.write(`${peersOf(order).join('\n')}\n`)
  const ports: number[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    ports.push(Number(line))
    if (ports.length === 2 * order.pairs) break
  }
  rmSync(folder, { recursive: true, force: true })
  return { name: 'C, epoll', pid: child.pid ?? 0, ports, close: () => child.kill() }
}

const rtpengineProgram = '/usr/bin/rtpengine'
const answerTimeoutMs = 3000

/**
 * Debian's rtpengine without its kernel module, controlled for every call by its protocol; undefined where it is
 * missing.
 */
export async function rtpengineRelay(order: RelayOrder): Promise<Relay | undefined> {
  if (!existsSync(rtpengineProgram)) return undefined
  const [control, first] = [await freePort(), 12_000]
  const child = spawn(
    rtpengineProgram,
    [
      ...['--foreground', '--table=-1', '--num-threads=1', '--log-level=3', '--log-stderr', '--interface=127.0.0.1'],
      ...[`--listen-ng=127.0.0.1:${control}`, `--port-min=${first}`, '--port-max=31999', '--pidfile=/dev/null'],
      '--config-file=none',
    ],
    { stdio: 'ignore' },
  )
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  try {
    await controlled(socket, control, child)
    const ports: number[] = []
    for (let pair = 0; pair < order.pairs; pair++) {
      const ids = { 'call-id': `bench-${pair}`, 'from-tag': 'near', ICE: 'remove' }
      const offered = await asked(socket, control, { ...ids, command: 'offer', sdp: sdpOf(order.nearPort) })
      const answered = await asked(socket, control, {
        ...ids,
        'to-tag': 'far',
        command: 'answer',
        sdp: sdpOf(order.farPort),
      })
      // What the offer is changed to is where the remote side sends, and the answer where the near one does.
      ports.push(mediaPortOf(answered), mediaPortOf(offered))
    }
    return { name: 'rtpengine', pid: child.pid ?? 0, ports, close: () => child.kill() }
  } catch (error) {
    child.kill()
    throw error
  } finally {
    socket.close()
  }
}

const sdpOf = (port: number): string =>
  [
    'v=0',
    'o=- 7 1 IN IP4 127.0.0.1',
    's=-',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    `m=audio ${port} RTP/AVP 0`,
    'a=rtpmap:0 PCMU/8000',
    '',
  ].join('\r\n')
const mediaPortOf = (answer: string): number => {
  const port = Number(/m=audio (\d+)/.exec(answer)?.[1] ?? 0)
  if (port === 0) throw new Error(`rtpengine: ${answer.slice(0, 200)}`)
  return port
}

type Dictionary = Readonly<Record<string, string>>

/** Bencoded, keys in their order. */
const encoded = (fields: Dictionary): string =>
  `d${Object.keys(fields)
    .sort()
    .map(key => `${key.length}:${key}${fields[key]!.length}:${fields[key]}`)
    .join('')}e`

let cookies = 0

async function asked(socket: ReturnType<typeof createSocket>, port: number, fields: Dictionary): Promise<string> {
  const cookie = `c${++cookies}`
  socket.send(`${cookie} ${encoded(fields)}`, port, '127.0.0.1')
  const signal = AbortSignal.timeout(answerTimeoutMs)
  for (;;) {
    const [bytes] = (await once(socket, 'message', { signal })) as [Buffer]
    const text = bytes.toString('latin1')
    if (text.startsWith(`${cookie} `)) return text
  }
}

async function controlled(socket: ReturnType<typeof createSocket>, port: number, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt++) {
    if (child.exitCode !== null) throw new Error(`rtpengine ended with ${child.exitCode}`)
    await new Promise(resolve => setTimeout(resolve, 100))
    socket.send(`ping${attempt} ${encoded({ command: 'ping' })}`, port, '127.0.0.1')
    const pong = once(socket, 'message', { signal: AbortSignal.timeout(200) }).catch(() => undefined)
    if ((await pong) !== undefined) return
  }
  throw new Error('rtpengine does not answer')
}
