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
      timer = left > longestTimeoutMs ? setTimeout(arm, longestTimeoutMs) : setTimeout(fire, left)
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

/** The place of so many bytes in the pool that are not given away yet. */
function reserve(length: number): number {
  if (poolAt + length > pool.length) {
    randomFillSync(pool)
    poolAt = 0
  }
  const at = poolAt
  poolAt += length
  return at
}

function pooled(length: number): Uint8Array {
  const at = reserve(length)
  const bytes = pool.slice(at, at + length)
  pool.fill(0, at, at + length)
  return bytes
}

function uuid(): string {
  const at = reserve(10)
  const id = uuidV7(Date.now(), pool, at)
  pool.fill(0, at, at + 10)
  return id
}

export const systemRandom: Random = {
  bytes: length => (length > longestPooled ? randomBytes(length) : pooled(length)),
  uuid,
}

/** A number in [0, 1) of 32 bits. */
export const fractionOf = (random: Random): number => {
  const bytes = random.bytes(4)
  return (bytes[0]! * 2 ** 24 + bytes[1]! * 2 ** 16 + bytes[2]! * 2 ** 8 + bytes[3]!) / 2 ** 32
}
