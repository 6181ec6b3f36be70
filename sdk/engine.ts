import { Line } from './line.ts'
import { type Log, withoutSecrets } from './log.ts'
import { UserAgent, type UserAgentInput, type UserAgentOutput } from './signaling/user-agent.ts'

type Reported = Exclude<UserAgentOutput, { type: 'send' | 'pong' }>

interface EngineEvents {
  lineUp(): void
  lineDown(detail: string, willRetry: boolean): void
  output(output: Reported): void
}

const userAgent = 'sauti-phone/0.2.0'
const decoder = new TextDecoder()
const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length))

/** Joins the user agent to its WebSocket and to one timer. */
export class Engine {
  readonly #agent: UserAgent
  readonly #line: Line
  readonly #log: Log
  readonly #events: EngineEvents
  #timer: ReturnType<typeof setTimeout> | undefined
  #isClosed = false

  constructor(url: string, log: Log, events: EngineEvents) {
    this.#log = log
    this.#events = events
    const transport = url.startsWith('wss:') ? 'wss' : 'ws'
    this.#agent = new UserAgent({ transport, instance: crypto.randomUUID(), userAgent, random })
    this.#line = new Line(
      url,
      {
        up: () => {
          log.info('connected', url)
          events.lineUp()
          this.handle({ type: 'line-up' })
        },
        down: (detail, willRetry) => {
          log.info('disconnected', detail)
          this.handle({ type: 'line-down' })
          events.lineDown(detail, willRetry)
        },
        received: bytes => {
          log.debug('received', withoutSecrets(decoder.decode(bytes)))
          this.handle({ type: 'received', bytes })
        },
      },
      Math.random,
    )
  }

  get isUp(): boolean {
    return this.#line.isUp
  }

  get isReady(): boolean {
    return this.#agent.isReady
  }

  open(): void {
    this.#line.open()
  }

  wake(): void {
    this.#line.wake()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#line.close()
  }

  handle(input: UserAgentInput): void {
    if (!this.#isClosed) this.#run(this.#agent.handle(input, performance.now()))
  }

  #run(outputs: readonly UserAgentOutput[]): void {
    // Sends first: a listener that gets the end may close the line.
    for (const output of outputs) {
      if (output.type !== 'send') continue
      this.#log.debug('sent', withoutSecrets(decoder.decode(output.bytes)))
      this.#line.send(output.bytes)
    }
    for (const output of outputs) {
      if (output.type === 'registered') this.#line.proven()
      if (output.type === 'pong') this.#line.pong()
      else if (output.type !== 'send') this.#events.output(output)
    }
    this.#arm()
  }

  #arm(): void {
    clearTimeout(this.#timer)
    const deadline = this.#agent.deadline()
    if (deadline === undefined || this.#isClosed) return
    this.#timer = setTimeout(
      () => this.#run(this.#agent.timeout(performance.now())),
      Math.max(0, deadline - performance.now()),
    )
  }
}
