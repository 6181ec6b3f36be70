import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

export interface Start {
  /** From exec to the first answered OPTIONS. */
  readonly optionsMs: number
  /** Processor time of the whole process until then. */
  readonly cpuMs: number
  /** Resident memory a second later, MB. */
  readonly memory: number
}

const retryMs = 2
const patienceMs = 30_000
const settledMs = 1000
const ticksPerSecond = 100

/** Starts a switch, asks until it answers, and ends it. */
export async function firstOptions(
  command: readonly string[],
  environment: NodeJS.ProcessEnv,
  sipPort: number,
): Promise<Start> {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const begun = performance.now()
  const [program = '', ...args] = command
  const child = spawn(program, args, { env: environment, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  let lastLogged = ''
  child.stdout.on('data', (logged: Buffer) => {
    lastLogged = logged.toString()
  })
  let asked = 0
  const timer = setInterval(
    () => socket.send(options(sipPort, socket.address().port, ++asked), sipPort, '127.0.0.1'),
    retryMs,
  )
  // Before it listens the system answers with an error, which is no answer.
  socket.on('error', () => {})
  try {
    await Promise.race([
      once(socket, 'message'),
      ended.then(([code]) => Promise.reject(new Error(`${program} ended with ${code}: ${lastLogged}`))),
      new Promise((_, reject) => setTimeout(reject, patienceMs, new Error('no OPTIONS was answered')).unref()),
    ])
    const optionsMs = performance.now() - begun
    const cpuMs = cpuOf(child.pid ?? 0)
    clearInterval(timer)
    await new Promise(resolve => setTimeout(resolve, settledMs))
    return { optionsMs, cpuMs, memory: memoryOf(child.pid ?? 0) }
  } finally {
    clearInterval(timer)
    socket.close()
    child.kill('SIGTERM')
    await ended.catch(() => {})
  }
}

function options(sipPort: number, ownPort: number, count: number): string {
  return [
    `OPTIONS sip:127.0.0.1:${sipPort} SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:${ownPort};branch=z9hG4bKstart${count}`,
    'Max-Forwards: 70',
    'From: <sip:probe@127.0.0.1>;tag=start',
    `To: <sip:127.0.0.1:${sipPort}>`,
    `Call-ID: start-${count}`,
    'CSeq: 1 OPTIONS',
    'Content-Length: 0',
    '\r\n',
  ].join('\r\n')
}

/** proc_pid_stat(5): utime and stime, of all threads. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
}

const memoryOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
