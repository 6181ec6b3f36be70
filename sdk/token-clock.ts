/** Seconds before its end at which a token is said to expire. */
const warnSeconds = 60

/** Reports that a token ends soon and that it has ended. */
export class TokenClock {
  readonly #soon: (secondsLeft: number) => void
  readonly #over: () => void
  #timers: ReturnType<typeof setTimeout>[] = []

  constructor(soon: (secondsLeft: number) => void, over: () => void) {
    this.#soon = soon
    this.#over = over
  }

  /** `expiresUnix` in ms, by the browser's clock. A token that begins with less than two minutes warns at half its time. */
  start(expiresUnix: number): void {
    this.stop()
    const left = expiresUnix - Date.now()
    const warnIn = Math.max(left - warnSeconds * 1000, left / 2)
    this.#timers = [
      setTimeout(() => this.#soon(Math.max(0, Math.round((expiresUnix - Date.now()) / 1000))), warnIn),
      setTimeout(() => this.#over(), left),
    ]
  }

  stop(): void {
    for (const timer of this.#timers.splice(0)) clearTimeout(timer)
  }
}
