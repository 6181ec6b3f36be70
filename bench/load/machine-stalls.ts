import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { Stall } from './long-turns.ts'

/** Shorter ones are usual, and explain no long turn. */
const leastMicros = 500

/**
 * Watches the processors of the machine beside a measurement: when one of them does not run what should have run, a turn of any
 * program is longer (`stalls.c`, built now). It wakes 1,000 times a second on each processor.
 */
export class StallWatch {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #lines: AsyncIterator<string>

  private constructor(child: ChildProcessByStdio<Writable, Readable, null>, lines: AsyncIterator<string>) {
    this.#child = child
    this.#lines = lines
  }

  /** Undefined where there is no compiler, or the system allows no real time: it needs root, or CAP_SYS_NICE. */
  static async begin(): Promise<StallWatch | undefined> {
    const folder = mkdtempSync(join(tmpdir(), 'sauti-stalls-'))
    const program = join(folder, 'stalls')
    try {
      const source = new URL('./stalls.c', import.meta.url).pathname
      execFileSync('cc', ['-O2', '-pthread', '-o', program, source], { stdio: 'ignore' })
      const child = spawn(program, [String(leastMicros)], { stdio: ['pipe', 'pipe', 'ignore'] })
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      const { value } = await lines.next()
      return value === 'ready' ? new StallWatch(child, lines) : undefined
    } catch {
      return undefined
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }

  async end(): Promise<readonly Stall[]> {
    this.#child.stdin.end()
    const stalls: Stall[] = []
    for (let line = await this.#lines.next(); line.done !== true; line = await this.#lines.next()) {
      const [processor = Number.NaN, from = Number.NaN, to = Number.NaN] = line.value.split(' ').map(Number)
      stalls.push({ processor, fromMs: from / 1e6, toMs: to / 1e6 })
    }
    return stalls
  }
}
