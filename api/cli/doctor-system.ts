import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Finding, fault, ok, warning } from './doctor-finding.ts'

const run = promisify(execFile)
const commandTimeoutMs = 3000
/** A call holds up to this many sockets: RTP and RTCP of two legs, and what signals them. */
const fewestDescriptors = 4096
const enoughDescriptors = 65_536
/** What the switch asks the system for, per UDP socket. */
const receiveBufferBytes = 4 * 1024 * 1024
const bytesPerGb = 1e9
const fullGb = 1
const nearlyFullGb = 5

/** The process that runs a switch on the folder: the one that holds its lock; undefined when none does. */
export function runningOn(folder: string): number | undefined {
  try {
    const { ino } = statSync(join(folder, 'sauti.lock'))
    const held = readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .find(line => line.includes(`:${ino} `))
    const pid = Number(held?.trim().split(/\s+/)[4])
    return Number.isInteger(pid) && pid > 0 ? pid : undefined
  } catch {
    return undefined
  }
}

/** A limit of a process by its name in /proc/PID/limits; Infinity = unlimited, undefined where there is no such file. */
function limitOf(pid: number | 'self', name: string): number | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/limits`, 'utf8')
      .split('\n')
      .find(each => each.startsWith(name))
    const soft = line?.slice(name.length).trim().split(/\s+/)[0]
    return soft === undefined ? undefined : soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    return undefined
  }
}

/** CAP_SYS_NICE (capabilities(7)): the limit does not hold for it. */
function mayNice(pid: number | 'self'): boolean {
  try {
    const [, effective = '0'] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return ((BigInt(`0x${effective}`) >> 23n) & 1n) === 1n
  } catch {
    return false
  }
}

export function fileDescriptors(pid: number | undefined): Finding {
  const name = 'file descriptors'
  const limit = limitOf(pid ?? 'self', 'Max open files')
  const mend = 'LimitNOFILE=65536 in the systemd unit, or ulimit -n 65536 before "sauti serve"'
  if (limit === undefined) return warning(name, 'the limit cannot be read', 'ulimit -n')
  const says = `${limit} for ${pid === undefined ? 'a process started here' : `the running switch (${pid})`}`
  if (limit < fewestDescriptors) return fault(name, says, mend)
  return limit < enoughDescriptors ? warning(name, `${says}; busy switches want 65536`, mend) : ok(name, says)
}

export function realTime(pid: number | undefined): Finding {
  const name = 'real-time priority'
  const limit = limitOf(pid ?? 'self', 'Max realtime priority')
  if (mayNice(pid ?? 'self') || (limit !== undefined && limit >= 4))
    return ok(name, 'media, signalling, the database and V8 may have it')
  if (limit !== undefined && limit >= 2)
    return ok(
      name,
      'media and signalling may have it; the database and V8, for which signalling waits, may with LimitRTPRIO=4',
    )
  if (limit === 1) return ok(name, 'media threads may have it; signalling may with LimitRTPRIO=4')
  return warning(
    name,
    'media threads may not have it: other programs can delay audio',
    'LimitRTPRIO=4 and LimitNICE=-19 in the systemd unit, or run as root',
  )
}

export function udpBuffers(): Finding {
  const name = 'UDP buffers'
  let largest: number
  try {
    largest = Number(readFileSync('/proc/sys/net/core/rmem_max', 'utf8'))
  } catch {
    return ok(name, 'the limit is not shown here; the switch takes what it gets')
  }
  const says = `receive buffers up to ${largest} bytes`
  if (largest >= receiveBufferBytes) return ok(name, says)
  return warning(
    name,
    `${says}; the switch asks for ${receiveBufferBytes}`,
    `sysctl -w net.core.rmem_max=${receiveBufferBytes}`,
  )
}

export async function clock(): Promise<Finding> {
  const name = 'clock'
  const mend = 'apt-get install systemd-timesyncd && timedatectl set-ntp true'
  const said = await run('timedatectl', ['show', '-p', 'NTPSynchronized', '--value'], {
    timeout: commandTimeoutMs,
  }).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  )
  if (said === 'yes') return ok(name, 'synchronised')
  if (said === 'no') return warning(name, 'not synchronised: times of calls and signatures of webhooks drift', mend)
  return warning(name, 'whether it is synchronised cannot be asked here (no timedatectl)', mend)
}

export async function disk(folder: string): Promise<Finding> {
  const name = 'disk'
  try {
    const { bavail, bsize } = await statfs(folder)
    const gb = (bavail * bsize) / bytesPerGb
    const says = `${gb.toFixed(1)} GB free under ${folder}`
    const mend = `du -xh --max-depth=1 ${folder}; keep recordings for fewer days: SAUTI_RECORDING_DAYS`
    if (gb < fullGb) return fault(name, says, mend)
    return gb < nearlyFullGb ? warning(name, says, mend) : ok(name, says)
  } catch (cause) {
    return fault(name, `${folder}: ${(cause as Error).message}`, `sauti init, or --data with the right folder`)
  }
}
