/** RFC 3261 §8.1.1.6: what a request begins with. */
const usualForwards = 70
/** Numbers of this switch may dial one another so often in a row. */
const mostOnNet = 8

/** How far a call has come from call to call: what keeps numbers that dial one another from going on for ever. */
export interface Hops {
  /** Numbers of this switch that have dialled one another in a row to get here. */
  readonly onNet: number
  /** Max-Forwards: how often it may be passed on, here or elsewhere. It crosses calls as it crosses proxies (RFC 7332). */
  readonly forwards: number
}

/** Of a call that somebody else has made. */
export const arrived = (forwards: number = usualForwards): Hops => ({ onNet: 0, forwards })

/** Of a call that begins here. */
export const noHops: Hops = Object.freeze(arrived())

export const nextHop = ({ onNet, forwards }: Hops): Hops => ({ onNet: onNet + 1, forwards: forwards - 1 })

/** It may not be made: refused, as RFC 3261's 483 would. */
export const isSpent = ({ onNet, forwards }: Hops): boolean => onNet > mostOnNet || forwards < 0
