import { spawnSync } from 'node:child_process'

// How fast the machine's processor is just now, by a process of its own that does nothing else. Shared machines lose two thirds of
// their speed for minutes, and a figure that is worse than the one before may be the machine's.

const spinMs = 150
const roots = 1000
const program = `
const until = performance.now() + ${spinMs}
let turns = 0, sum = 0
while (performance.now() < until) { for (let at = 0; at < ${roots}; at++) sum += Math.sqrt(at); turns++ }
process.stdout.write(String(sum < 0 ? 0 : turns))`

/** Turns of 1,000 square roots a millisecond. `processor`: the one to ask, as taskset writes it; default any. */
export function coreSpeed(processor?: string): number {
  const pin = processor === undefined ? [] : ['taskset', '-c', processor]
  const [command = '', ...args] = [...pin, process.execPath, '-e', program]
  const turns = spawnSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).stdout
  return Number(turns) / spinMs
}

/** Asked at rests of a run; it says how fast the machine was in it, so that runs can be compared. */
export class SpeedWitness {
  readonly #speeds: number[] = []

  look(processor?: string): void {
    this.#speeds.push(coreSpeed(processor))
  }

  /** A sentence for the head of a table. */
  get sentence(): string {
    const micros = this.#speeds.map(speed => 1000 / speed)
    const [least, most] = [Math.min(...micros), Math.max(...micros)]
    return `Speed of the machine, before, between and after: a processor took ${least.toFixed(1)} to ${most.toFixed(1)} µs for ${roots} square roots.`
  }
}
