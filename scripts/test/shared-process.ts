import { endMark, endTimeoutMs, type FileResult, fileTimeoutMs, readResult, summaryLine } from './file-result.ts'
import { startNode } from './node-process.ts'

/**
 * Runs test files in one process, one after another as `next` names them: what they all import is loaded once, which
 * takes longer than most of them. A file has ended when nothing of it would keep a process alive. Where one crashes,
 * hangs or leaks, its process goes, and the next file has a new one.
 */
export async function runShared(next: () => string | undefined, tell: (result: FileResult) => void): Promise<void> {
  for (let file = next(); file !== undefined; ) {
    const shared = new SharedProcess()
    for (; file !== undefined && shared.isAlive; file = next()) tell(await shared.run(file))
    await shared.end()
  }
}

class SharedProcess {
  readonly #child = startNode(['scripts/test/one-after-another.ts'], ['ignore', 'pipe', 'pipe', 'ipc'])
  #output = ''
  #before: string[] = []
  #onOutput = () => {}
  #onClose = (_code: number | null) => {}
  isAlive = true

  constructor() {
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding('utf8').on('data', chunk => {
        this.#output += chunk
        this.#onOutput()
      })
    this.#child.on('close', code => {
      this.isAlive = false
      this.#onClose(code)
    })
  }

  run(file: string): Promise<FileResult> {
    const started = Date.now()
    this.#output = ''
    return new Promise(resolve => {
      let leakTimer: NodeJS.Timeout | undefined
      const giveUp = (reason: string) => {
        this.#output += `\n${file} ${reason}`
        this.#child.kill('SIGKILL')
      }
      const timer = setTimeout(
        () => giveUp(`ran for more than ${fileTimeoutMs / 1000} s and was killed`),
        fileTimeoutMs,
      )
      const end = (output: string, isClean: boolean) => {
        clearTimeout(timer)
        clearTimeout(leakTimer)
        this.#before.push(file)
        resolve(readResult(file, output, (Date.now() - started) / 1000, isClean))
      }
      this.#onOutput = () => {
        const marked = this.#output.match(endMark)
        if (marked) return end(this.#output.replace(endMark, ''), marked[1] === '0')
        if (summaryLine.test(this.#output))
          leakTimer ??= setTimeout(() => giveUp('did not end after its tests and was killed'), endTimeoutMs)
      }
      this.#onClose = code =>
        end(
          `${this.#output}\nThe process ended (${code}); it had run before: ${this.#before.slice(-5).join(' ') || 'nothing'}`,
          false,
        )
      // Where the process is gone, its close tells.
      this.#child.send(file, () => {})
    })
  }

  /** Lets it end by itself: only so it keeps what it compiled for the processes that are started after it. */
  end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return Promise.resolve()
    return new Promise(resolve => {
      const timer = setTimeout(() => this.#child.kill('SIGKILL'), endTimeoutMs)
      this.#onClose = () => {}
      this.#child.once('exit', () => {
        clearTimeout(timer)
        resolve()
      })
      this.#child.disconnect()
    })
  }
}
