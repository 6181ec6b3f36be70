export interface Task {
  readonly at: number
  readonly order: number
  readonly act: () => void
}

/** How much later than asked a task may come, ms. */
const jitterMs = 5

/** What is to happen at which virtual time; of two at the same time, the one that was asked for first. */
export class VirtualTasks {
  readonly #tasks: Task[] = []
  readonly #lateness: () => number
  #order = 0
  #lastInOrderAt = 0

  /** `random`: with it tasks come up to 5 ms late. */
  constructor(random?: () => number) {
    this.#lateness = random === undefined ? () => 0 : () => random() * jitterMs
  }

  add(at: number, act: () => void): void {
    this.#tasks.push({ at: at + this.#lateness(), order: this.#order++, act })
  }

  /** Never before one that was added so earlier. */
  addInOrder(at: number, act: () => void): void {
    this.#lastInOrderAt = Math.max(this.#lastInOrderAt, at + this.#lateness())
    this.#tasks.push({ at: this.#lastInOrderAt, order: this.#order++, act })
  }

  next(): Task | undefined {
    let next: Task | undefined
    for (const task of this.#tasks) {
      if (next === undefined || task.at < next.at || (task.at === next.at && task.order < next.order)) next = task
    }
    return next
  }

  take(task: Task): void {
    this.#tasks.splice(this.#tasks.indexOf(task), 1)
  }
}
