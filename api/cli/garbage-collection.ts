import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/**
 * A thread that collects its young objects does so alone. By default V8 shares that among five threads, which together
 * take two to seven times the processor time, and take it from calls.
 */
export function collectYoungAlone(): void {
  setFlagsFromString('--no-parallel-scavenge')
}

const megabyte = 1024 * 1024
const enoughBytes = 4 * megabyte
/** It grows while the program is loaded; later only where it shrank in between. */
const lookEveryMs = 50
const looksOften = 20
const laterMs = 1000

/**
 * Lets the space of young objects grow to 4 MB, or a step beyond, where V8 would go to 32. The larger it is, the longer each collection
 * takes, since more of the calls that are just being set up live in it and are copied; all collections together hardly take less. While
 * a program runs V8 has no setting for it but the factor by which the space grows.
 */
export function holdYoungSpace(): void {
  let factor = 0
  let looks = 0
  const look = () => {
    const wanted = youngBytes() < enoughBytes ? 2 : 1
    if (wanted !== factor) setFlagsFromString(`--semi-space-growth-factor=${wanted}`)
    factor = wanted
    setTimeout(look, ++looks < looksOften ? lookEveryMs : laterMs).unref()
  }
  look()
}

/** What the space takes before it is collected. */
function youngBytes(): number {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  return space === undefined ? 0 : space.space_used_size + space.space_available_size
}
