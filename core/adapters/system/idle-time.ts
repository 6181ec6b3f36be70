import { readFileSync } from 'node:fs'

/** Fields of a processor's line, after its name (proc(5), /proc/stat). The eighth is the last that the others do not contain. */
const idleFields: readonly number[] = [3, 4]
const disjointFields = 8

/** Clock ticks of the processors: all, and those in which they had nothing to run. */
export interface Ticks {
  readonly all: number
  readonly idle: number
}

/** Of those that `allowed` names, as `Cpus_allowed_list` of /proc/pid/status: `0-3,8`. Undefined: the texts are not such. */
export function ticksIn(stat: string, status: string): Ticks | undefined {
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1]
  if (list === undefined) return undefined
  const ranges = list.split(',').map(range => range.split('-').map(Number))
  let [all, idle] = [0, 0]
  for (const [, name, fields = ''] of stat.matchAll(/^cpu(\d+) (.*)$/gm)) {
    const processor = Number(name)
    if (!ranges.some(([first = Number.NaN, last = first]) => first <= processor && processor <= last)) continue
    const ticks = fields.split(' ').slice(0, disjointFields).map(Number)
    all += ticks.reduce((sum, each) => sum + each, 0)
    idle += idleFields.reduce((sum, field) => sum + (ticks[field] ?? 0), 0)
  }
  return all > 0 ? { all, idle } : undefined
}

/** Of the calling thread's processors. It reads files: not for the thread that signals. */
function ticksOfSystem(): Ticks | undefined {
  try {
    return ticksIn(readFileSync('/proc/stat', 'latin1'), readFileSync('/proc/thread-self/status', 'latin1'))
  } catch {
    return undefined
  }
}

/** Shares of the processors' time: with so much that is idle there is enough; with less than the second there is none any more. */
const [enough, tooLittle] = [0.15, 0.03]

/** Whether the processors have time to spare, by what they were idle from one look to the next. */
export class IdleTime {
  readonly #ticks: () => Ticks | undefined
  #last: Ticks | undefined
  #isSpare = false

  constructor(ticks: () => Ticks | undefined = ticksOfSystem) {
    this.#ticks = ticks
  }

  /** False at the first look, and where the system does not say. */
  look(): boolean {
    const [last, now] = [this.#last, this.#ticks()]
    this.#last = now
    if (last === undefined || now === undefined) this.#isSpare = false
    else if (now.all > last.all)
      this.#isSpare = (now.idle - last.idle) / (now.all - last.all) >= (this.#isSpare ? tooLittle : enough)
    return this.#isSpare
  }
}
