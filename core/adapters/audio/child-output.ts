import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { takeBack } from '../system/thread-niceness.ts'

export interface ChildRun {
  readonly command: string
  readonly args: readonly string[]
  /** Written to its standard input, never to a command line. */
  readonly input: string | Uint8Array
  readonly timeoutMs: number
  readonly maxOutputBytes: number
  /** What is kept of its standard error. Default 400 characters. */
  readonly maxComplaint?: number
  /** Ends the child at once. */
  readonly signal: AbortSignal
}

export interface ChildFault {
  readonly ok: false
  readonly fault: 'not-installed' | 'timeout' | 'too-large' | 'died' | 'aborted'
  readonly detail: string
}

type ChildResult = { readonly ok: true; readonly output: Uint8Array; readonly complaint: string } | ChildFault

const usualComplaint = 400

/** What a child needs to find its files, as `SAUTI_UNPACKED` those of the single executable; none of our secrets. */
function childEnvironment(): Record<string, string> {
  const kept = ['PATH', 'ESPEAK_DATA_PATH', 'LD_LIBRARY_PATH', 'HOME', 'TMPDIR', 'SAUTI_UNPACKED']
  const environment: Record<string, string> = { LANG: 'C.UTF-8' }
  for (const name of kept) {
    const value = process.env[name]
    if (value !== undefined) environment[name] = value
  }
  return environment
}

/** Starts a program with pipes and no precedence of its own. */
export function startChild(command: string, args: readonly string[]): ChildProcessWithoutNullStreams {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: childEnvironment() })
  takeBack(child.pid)
  return child
}

/** Runs a program to its end and gives what it wrote. Never rejects; nothing of it is left running. */
export function childOutput(run: ChildRun): Promise<ChildResult> {
  return new Promise(resolve => {
    if (run.signal.aborted) {
      resolve({ ok: false, fault: 'aborted', detail: 'it was not started' })
      return
    }
    const child = startChild(run.command, run.args)
    const chunks: Uint8Array[] = []
    let bytes = 0
    let complaint = ''
    let fault: ChildFault | undefined
    const stop = (why: ChildFault) => {
      fault ??= why
      child.kill('SIGKILL')
    }
    const timer = setTimeout(
      () => stop({ ok: false, fault: 'timeout', detail: `it took more than ${run.timeoutMs / 1000} s` }),
      run.timeoutMs,
    )
    const abort = () => stop({ ok: false, fault: 'aborted', detail: 'it was stopped' })
    run.signal.addEventListener('abort', abort)

    child.stdout.on('data', (chunk: Uint8Array) => {
      if (fault !== undefined) return
      bytes += chunk.length
      if (bytes > run.maxOutputBytes) {
        stop({ ok: false, fault: 'too-large', detail: `it gave more than ${run.maxOutputBytes} bytes` })
      } else {
        chunks.push(chunk)
      }
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(0, run.maxComplaint ?? usualComplaint)
    })
    // A child that dies early leaves its pipe broken; its exit says so better.
    child.stdin.on('error', () => {})
    child.stdin.end(run.input)

    const finish = (result: ChildResult) => {
      clearTimeout(timer)
      run.signal.removeEventListener('abort', abort)
      resolve(result)
    }
    child.on('error', (error: NodeJS.ErrnoException) => {
      const missing = error.code === 'ENOENT' || error.code === 'EACCES'
      finish({ ok: false, fault: missing ? 'not-installed' : 'died', detail: error.message })
    })
    child.on('close', (code, signal) => {
      if (fault !== undefined) finish(fault)
      else if (code === 0) finish({ ok: true, output: Buffer.concat(chunks, bytes), complaint })
      else finish({ ok: false, fault: 'died', detail: `${signal ?? `exit ${code}`} ${complaint}`.trim() })
    })
  })
}
