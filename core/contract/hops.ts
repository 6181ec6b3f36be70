/** RFC 3261 §8.1.1.6: what a request begins with. */
const usualForwards = 70
/** Numbers of this switch may dial one another so often in a row. */
const mostOnNet = 8

/** Legs within this switch that come of one call, in all: whichever of the calls that come of it dials them. */
const mostOnNetLegs = 20

/** Room of a phone that rings for an origin call. */
export interface PhoneRoom {
  /** Twice is no fault. */
  release(): void
}

const none: readonly string[] = []

/** The legs to numbers and phones of this switch that have come of one origin call, over all calls that came of it. */
class OnNetTree {
  #calls = 0
  #ringing = 0
  /** Numbers that dialled one after the other, one of them twice, until no more calls were let through. */
  circle: readonly string[] = none

  /** One more call of this switch; false when there are as many as there may be. Those that have ended count: they may be a loop. */
  grow(): boolean {
    if (this.#isFull(0)) return false
    this.#calls++
    return true
  }

  /** Room for one more phone, while its leg lives; undefined when there is none beside those `kept` for others. */
  takePhone(kept: number): PhoneRoom | undefined {
    if (this.#isFull(kept)) return undefined
    this.#ringing++
    let isTaken = true
    return {
      release: () => {
        if (isTaken) this.#ringing--
        isTaken = false
      },
    }
  }

  #isFull(kept: number): boolean {
    return this.#calls + this.#ringing + kept >= mostOnNetLegs
  }
}

/** How far a call has come from call to call: what keeps numbers that dial one another from going on for ever. */
export interface Hops {
  /** Numbers of this switch that have dialled one another in a row to get here. */
  readonly onNet: number
  /** Shared by all calls that come of the same origin. */
  readonly tree: OnNetTree
  /** Max-Forwards: how often it may be passed on, here or elsewhere. It crosses calls as it crosses proxies (RFC 7332). */
  readonly forwards: number
  /** The numbers of this switch whose documents have dialled in a row to get here, the first one first. */
  readonly path: readonly string[]
}

/** Hops of a call from outside of this switch. */
export const arrived = (forwards: number = usualForwards): Hops => ({
  onNet: 0,
  forwards,
  tree: new OnNetTree(),
  path: none,
})

export const nextHop = ({ onNet, forwards, tree, path }: Hops, dialledBy?: string): Hops => ({
  onNet: onNet + 1,
  forwards: forwards - 1,
  tree,
  path: dialledBy === undefined ? path : [...path, dialledBy],
})

/** It has been passed on as often as it may be: refused, as RFC 3261's 483 would. */
export const isSpent = ({ forwards }: Hops): boolean => forwards < 0

/** Takes one of the on-net legs that the origin call may make, to `number`; false: too deep, or too many. */
export function takeOnNet({ onNet, tree, path }: Hops, number: string): boolean {
  if (onNet <= mostOnNet && tree.grow()) return true
  const numbers = [...path, number]
  if (new Set(numbers).size < numbers.length) tree.circle = numbers
  return false
}

/** The number led into a circle, which has come to its end. */
export const inCircle = ({ tree }: Hops, number: string): boolean => tree.circle.includes(number)
