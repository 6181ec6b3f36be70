import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { type ChildFault, type ChildRun, startChild } from './child-output.ts'

/** A program whose output is read while it runs; without a reader it waits. */
export class ChildStream {
  readonly #run: ChildRun
  readonly #child: ChildProcessWithoutNullStreams
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #ended: Promise<void>
  readonly #abort = () => this.#stop({ ok: false, fault: 'aborted', detail: 'it was stopped' })
  /** What is left of its time; only while a reader waits for it. */
  #leftMs: number
  #bytes = 0
  #complaint = ''
  #fault: ChildFault | undefined

  constructor(run: ChildRun) {
    this.#run = run
    this.#leftMs = run.timeoutMs
    const child = startChild(run.command, run.args)
    this.#child = child
    this.#chunks = child.stdout[Symbol.asyncIterator]()
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#complaint = (this.#complaint + text).slice(0, run.maxComplaint ?? usualComplaint)
    })
    this.#ended = new Promise(resolve => {
      child.on('error', (error: NodeJS.ErrnoException) => {
        const isMissing = error.code === 'ENOENT' || error.code === 'EACCES'
        this.#stop({ ok: false, fault: isMissing ? 'not-installed' : 'died', detail: error.message })
        resolve()
      })
      child.on('exit', (code, signal) => {
        if (code !== 0) {
          this.#fault ??= { ok: false, fault: 'died', detail: `${signal ?? `exit ${code}`} ${this.#complaint}`.trim() }
        }
        run.signal.removeEventListener('abort', this.#abort)
        resolve()
      })
    })
    // A child that dies early leaves its pipe broken; its exit says so better.
    child.stdin.on('error', () => {})
    child.stdin.end(run.input)
    run.signal.addEventListener('abort', this.#abort)
  }

  /** What it wrote next; undefined when it has ended well. Never rejects. */
  async read(): Promise<Uint8Array | undefined | ChildFault> {
    const began = performance.now()
    const { timeoutMs, maxOutputBytes } = this.#run
    const timer = setTimeout(
      () => this.#stop({ ok: false, fault: 'timeout', detail: `it took more than ${timeoutMs / 1000} s` }),
      this.#leftMs,
    )
    try {
      const chunk = await this.#chunks.next().catch(() => undefined)
      if (chunk === undefined || chunk.done === true) await this.#ended
      if (this.#fault !== undefined) return this.#fault
      if (chunk === undefined || chunk.done === true) return undefined
      this.#bytes += chunk.value.length
      if (this.#bytes <= maxOutputBytes) return chunk.value
      return this.#stop({ ok: false, fault: 'too-large', detail: `it gave more than ${maxOutputBytes} bytes` })
    } finally {
      clearTimeout(timer)
      this.#leftMs -= performance.now() - began
    }
  }

  /** There is no reader any more. */
  close(): void {
    this.#abort()
  }

  #stop(fault: ChildFault): ChildFault {
    this.#fault ??= fault
    this.#run.signal.removeEventListener('abort', this.#abort)
    this.#child.kill('SIGKILL')
    this.#child.stdout.destroy()
    return this.#fault
  }
}

const usualComplaint = 400
