import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What a thread asked of the kernel, by strace(1). */
export interface SystemCalls {
  readonly counts: Readonly<Record<string, number>>
  /** Calls that wait for a disk, a file or a name, as strace wrote them. */
  readonly waiting: readonly string[]
}

/** Files by name, and what makes them durable. `mmap`, `read` and `write` are not among them: V8's memory, and wake-ups. */
const ofFiles =
  /^(?:f(?:data)?sync|sync_file_range|msync|open(?:at2?)?|creat|f?stat(?:fs)?|l?stat|newfstatat|statx|f?access(?:at2?)?|readlink(?:at)?|unlink(?:at)?|rename(?:at2?)?|mkdir(?:at)?|rmdir|getdents(?:64)?|p(?:read|write)v?\d*|fallocate|f?truncate|flock)$/
const ofNames = /^(?:connect|send(?:to|msg|mmsg))$/
/** The port of DNS, as strace writes it. */
const dnsPort = /htons\(53\)/

/** Lines as `strace -f` or `strace -p` writes them: `name(arguments) = result`, maybe with the thread's number before them. */
export function systemCallsIn(text: string): SystemCalls {
  const counts: Record<string, number> = {}
  const waiting: string[] = []
  for (const line of text.split('\n')) {
    const name = /^(?:\[?(?:pid )?\d+\]? )?([a-z_][a-z0-9_]*)\(/.exec(line)?.[1]
    if (name === undefined) continue
    counts[name] = (counts[name] ?? 0) + 1
    if (ofFiles.test(name) || (ofNames.test(name) && dnsPort.test(line))) waiting.push(line)
  }
  return { counts, waiting }
}

/** One thread, for a time. It makes the thread slower meanwhile. */
export async function traceThread(thread: number, seconds: number): Promise<SystemCalls> {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-strace-'))
  const file = join(folder, 'calls')
  try {
    const child = spawn('strace', ['-q', '-s', '0', '-p', String(thread), '-o', file], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let errors = ''
    child.stderr.on('data', chunk => {
      errors += chunk
    })
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', resolve)
    })
    const timer = setTimeout(() => child.kill('SIGINT'), 1000 * seconds)
    const code = await ended
    clearTimeout(timer)
    const found = systemCallsIn(readFileSync(file, 'utf8'))
    if (Object.keys(found.counts).length === 0) throw new Error(`strace saw nothing (${code}): ${errors.slice(0, 300)}`)
    return found
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
