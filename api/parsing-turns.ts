/** Large bodies are parsed one in a turn of the event loop: calls have their turn between two of them, however many come. */
export class ParsingTurns {
  readonly #waiting: (() => void)[] = []
  #isDue = false

  /** Resolves when it is this body's turn. */
  next(): Promise<void> {
    return new Promise(resolve => {
      this.#waiting.push(resolve)
      this.#due()
    })
  }

  #due(): void {
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      this.#waiting.shift()?.()
      if (this.#waiting.length > 0) this.#due()
    })
  }
}
