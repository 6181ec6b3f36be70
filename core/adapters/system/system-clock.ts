import { randomBytes, randomFillSync } from 'node:crypto'
import type { Clock, Random } from '../../ports/clock.ts'
import { uuidV7 } from './uuid-v7.ts'

/** setTimeout takes 31 bits; a later deadline is armed again when that has passed. */
const longestTimeoutMs = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => performance.now(),
  unixMs: () => Date.now(),
  at: (deadline, fire) => {
    let timer: NodeJS.Timeout
    const arm = () => {
      const left = Math.max(0, Math.ceil(deadline - performance.now()))
      timer = setTimeout(() => (left > longestTimeoutMs ? arm() : fire()), Math.min(left, longestTimeoutMs))
    }
    arm()
    return () => clearTimeout(timer)
  },
}

/** Random bytes are fetched so many at a time, as asking for a few costs as much; what was given away is wiped. */
const pool = new Uint8Array(4096)
/** More are fetched by themselves. */
const longestPooled = 64
let poolAt = pool.length

function pooled(length: number): Uint8Array {
  if (poolAt + length > pool.length) {
    randomFillSync(pool)
    poolAt = 0
  }
  const bytes = pool.slice(poolAt, poolAt + length)
  pool.fill(0, poolAt, poolAt + length)
  poolAt += length
  return bytes
}

export const systemRandom: Random = {
  bytes: length => (length > longestPooled ? randomBytes(length) : pooled(length)),
  uuid: () => uuidV7(Date.now(), pooled(10)),
}

/** A number in [0, 1) of 32 bits. */
export const fractionOf = (random: Random): number => {
  const [a = 0, b = 0, c = 0, d = 0] = random.bytes(4)
  return (a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d) / 2 ** 32
}
