/** How long an interrupted audio path is tried again before the call is given up. */
const withinMs = 30_000
const againMs = 6_000

interface RecoveryPorts {
  /** One more ICE try. */
  restart(): void
  began(): void
  succeeded(): void
  gaveUp(): void
}

/** The audio of a live call is interrupted: new ICE tries until it is back, or the time is over. */
export class Recovery {
  readonly #ports: RecoveryPorts
  #giveUp: ReturnType<typeof setTimeout> | undefined
  #again: ReturnType<typeof setInterval> | undefined

  constructor(ports: RecoveryPorts) {
    this.#ports = ports
  }

  get isRunning(): boolean {
    return this.#giveUp !== undefined
  }

  begin(): void {
    if (!this.isRunning) {
      this.#giveUp = setTimeout(() => {
        this.stop()
        this.#ports.gaveUp()
      }, withinMs)
      this.#again = setInterval(() => this.#ports.restart(), againMs)
      this.#ports.began()
    }
    this.#ports.restart()
  }

  done(): void {
    if (!this.isRunning) return
    this.stop()
    this.#ports.succeeded()
  }

  stop(): void {
    clearTimeout(this.#giveUp)
    clearInterval(this.#again)
    this.#giveUp = undefined
    this.#again = undefined
  }
}
