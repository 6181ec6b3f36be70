/** What one step showed: undefined = it held. */
export type Wall = string | undefined

export interface Found {
  /** The most that held; 0 = not even the least did. */
  readonly most: number
  /** What ended the search; undefined: nothing did, up to the limit. */
  readonly wall: Wall
}

interface SearchPlan {
  readonly first: number
  readonly limit: number
  /** Steps between the last that held and the first that did not. */
  readonly refinements: number
}

/** Doubles what is tried until a step does not hold, then halves the distance a few times. */
export async function search(plan: SearchPlan, attempt: (size: number) => Promise<Wall>): Promise<Found> {
  let held = 0
  let size = plan.first
  for (;;) {
    const wall = await attempt(size)
    if (wall !== undefined) return refine(held, size, wall, plan.refinements, attempt)
    held = size
    if (size >= plan.limit) return { most: held, wall: undefined }
    size = Math.min(plan.limit, 2 * size)
  }
}

async function refine(
  held: number,
  fell: number,
  wall: Wall,
  left: number,
  attempt: (size: number) => Promise<Wall>,
): Promise<Found> {
  const between = Math.floor((held + fell) / 2)
  if (left === 0 || between <= held) return { most: held, wall }
  const next = await attempt(between)
  return next === undefined
    ? refine(between, fell, wall, left - 1, attempt)
    : refine(held, between, next, left - 1, attempt)
}
