/** Event name → what its listeners get. */
type EventMap = { readonly [name: string]: unknown }

type Listener<Value> = (value: Value) => void

/** Typed listeners. One that throws is reported to `onFault` and stops neither the others nor the phone. */
export class Emitter<Events extends EventMap> {
  readonly #listeners = new Map<keyof Events, Set<Listener<never>>>()
  readonly #onFault: (name: keyof Events, fault: unknown) => void

  constructor(onFault: (name: keyof Events, fault: unknown) => void) {
    this.#onFault = onFault
  }

  /** Returns what takes the listener off again. */
  on<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners)
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  once<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): () => void {
    const off = this.on(name, value => {
      off()
      listener(value)
    })
    return off
  }

  off<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): void {
    this.#listeners.get(name)?.delete(listener)
  }

  emit<Name extends keyof Events>(name: Name, value: Events[Name]): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try {
        ;(listener as Listener<Events[Name]>)(value)
      } catch (fault) {
        this.#onFault(name, fault)
      }
    }
  }
}
