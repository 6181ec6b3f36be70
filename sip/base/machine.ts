/** A protocol machine without I/O: events and the time go in, plain data comes out. Times are monotonic ms. */
export interface Machine<In, Out> {
  /** Runs to completion. */
  handle(input: In, now: number): readonly Out[]
  /** Acts on every deadline at or before `now`. */
  timeout(now: number): readonly Out[]
  /** When to call `timeout` next; undefined = nothing is pending. */
  deadline(): number | undefined
}
