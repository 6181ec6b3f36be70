/** What is to be the same of a call that was simulated and one that was real. */
export interface Course {
  /** Of each party, as lines of `SimulatedRemote.transcript`. */
  readonly received: readonly (readonly string[])[]
  readonly requests: readonly { readonly path: string; readonly fields: Readonly<Record<string, unknown>> }[]
  readonly events: readonly { readonly code: string; readonly data: Readonly<Record<string, unknown>> }[]
  readonly calls: readonly Readonly<Record<string, unknown>>[]
}

/** Made by chance or by the clock: only whether they are there can be the same. */
const byChance =
  /^(CallSid|AccountSid|DialCallSid|RecordingUuid|RecordingPath|sid|dial_sid|call_sid|uuid|\w+_uuid|\w+_at|createdAt|size_bytes|duration_ms|storage_backend|quality|trunk|account)$/
/** Seconds of a real clock. */
const measured = /(^|_)seconds$|Duration$/
const toleranceSeconds = 3

/** The first difference of two values, with its path; undefined: there is none that counts. */
export function difference(simulated: unknown, real: unknown, path = ''): string | undefined {
  const problem = `${path}: simulated ${JSON.stringify(simulated)}, real ${JSON.stringify(real)}`
  const name = path.split('.').at(-1) ?? ''
  if (byChance.test(name)) return isThere(simulated) === isThere(real) ? undefined : problem
  if (measured.test(name) && typeof simulated === 'number' && typeof real === 'number')
    return Math.abs(simulated - real) <= toleranceSeconds ? undefined : problem
  if (typeof simulated !== 'object' || typeof real !== 'object' || simulated === null || real === null)
    return simulated === real ? undefined : problem
  const [one, other] = [simulated as Record<string, unknown>, real as Record<string, unknown>]
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const found = difference(one[key], other[key], `${path}.${key}`)
    if (found !== undefined) return found
  }
  return undefined
}

const isThere = (value: unknown): boolean => value !== undefined && value !== null && value !== ''
