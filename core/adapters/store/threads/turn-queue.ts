import { StoreError } from '../errors.ts'

interface TurnLimits {
  /** Tasks that run at once. */
  readonly width: number
  /** Places that one owner may take. */
  readonly widthOfOwner: number
  /** Tasks of one owner that wait; one more is refused with `store.too-many`. */
  readonly waitingOfOwner: number
  /** Tasks that wait; one more is refused with `store.busy`. */
  readonly waiting: number
}

interface Task {
  readonly run: () => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (cause: unknown) => void
}

interface Owner {
  readonly name: string
  readonly waiting: Task[]
  running: number
}

/** Owners take turns, each with its own width and queue, so that the slow lists of one owner delay no other. */
export class TurnQueue {
  readonly #limits: TurnLimits
  readonly #owners = new Map<string, Owner>()
  /** Owners who have something to run and may, whose turn it is first. */
  readonly #turns = new Set<Owner>()
  #running = 0
  #waiting = 0
  #refused = 0

  constructor(limits: TurnLimits) {
    this.#limits = limits
  }

  get counters(): { readonly running: number; readonly waiting: number; readonly refused: number } {
    return { running: this.#running, waiting: this.#waiting, refused: this.#refused }
  }

  run(name: string, run: () => Promise<unknown>): Promise<unknown> {
    const owner = this.#owners.get(name) ?? { name, waiting: [], running: 0 }
    if (owner.waiting.length >= this.#limits.waitingOfOwner) {
      this.#refused++
      return Promise.reject(
        new StoreError('store.too-many', 'too many list requests at once: wait for the earlier ones'),
      )
    }
    if (this.#waiting >= this.#limits.waiting) {
      this.#refused++
      return Promise.reject(new StoreError('store.busy', 'too many list requests are waiting: try again in a second'))
    }
    this.#owners.set(name, owner)
    return new Promise((resolve, reject) => {
      owner.waiting.push({ run, resolve, reject })
      this.#waiting++
      if (owner.running < this.#limits.widthOfOwner) this.#turns.add(owner)
      this.#start()
    })
  }

  #start(): void {
    while (this.#running < this.#limits.width) {
      const [owner] = this.#turns
      if (owner === undefined) return
      this.#turns.delete(owner)
      const task = owner.waiting.shift()
      if (task === undefined) continue
      this.#waiting--
      this.#running++
      owner.running++
      this.#queue(owner)
      task
        .run()
        .then(task.resolve, task.reject)
        .finally(() => this.#ended(owner))
    }
  }

  #ended(owner: Owner): void {
    this.#running--
    owner.running--
    this.#queue(owner)
    if (owner.running === 0 && owner.waiting.length === 0) this.#owners.delete(owner.name)
    this.#start()
  }

  /** To the end of the turns. */
  #queue(owner: Owner): void {
    if (owner.waiting.length > 0 && owner.running < this.#limits.widthOfOwner) this.#turns.add(owner)
  }
}
