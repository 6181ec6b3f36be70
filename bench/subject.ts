import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** A measured program in a process of its own, so that its processor time is the process's. */
export class Subject {
  readonly #child: ChildProcess

  constructor(file: URL, ...args: readonly string[]) {
    this.#child = fork(file, args, {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
  }

  /** Sends a question and waits for the answer. */
  async ask<Answer>(question: unknown): Promise<Answer> {
    this.#child.send(question as object)
    const [answer] = await Promise.race([
      once(this.#child, 'message'),
      once(this.#child, 'exit').then(([code]) => {
        throw new Error(`the measured program ended with ${code}`)
      }),
    ])
    return answer as Answer
  }

  /** User and system time that it has used so far. */
  cpuMicros(): Promise<number> {
    return this.ask<number>('cpu')
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  stop(): void {
    if (this.#child.connected) this.#child.disconnect()
  }
}

/** In the measured program: answers `cpu`, gives every other question to `answer`, ends with its parent. */
export function serveQuestions<Question>(answer: (question: Question) => Promise<unknown>): void {
  process.on('disconnect', () => process.exit(0))
  process.on('message', async (question: Question | 'cpu') => {
    if (question === 'cpu') {
      const { user, system } = process.cpuUsage()
      process.send?.(user + system)
    } else process.send?.(await answer(question))
  })
}
