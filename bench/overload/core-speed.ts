import { spawnSync } from 'node:child_process'

// A process of its own on the switch's processor, before and after each step: how fast that processor is just then. Machines
// drift by half within minutes, and a step that answers less than the one before may be the machine's.

const spinMs = 150
const turns = 1000
const program = `
const until = performance.now() + ${spinMs}
let done = 0, sum = 0
while (performance.now() < until) { for (let at = 0; at < ${turns}; at++) sum += Math.sqrt(at); done++ }
process.stdout.write(String(done + (sum < 0 ? 1 : 0)))`

/** Work that this processor did in the same time, in a unit of its own: compare two. `processor` undefined: any. */
export function coreSpeed(processor: string | undefined): number {
  const pin = processor === undefined ? [] : ['taskset', '-c', processor]
  const [command = '', ...args] = [...pin, process.execPath, '-e', program]
  return Number(spawnSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).stdout)
}
