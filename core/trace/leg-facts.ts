import { type RecordView, recordKinds } from './record.ts'
import type { TraceLeg } from './trace.ts'

/** What a call's records say of one of its legs. */
export interface LegFacts {
  readonly uuid: string
  readonly role: 'caller' | 'callee'
  /** Undefined: not known, so that it may be a trunk. */
  readonly via: TraceLeg['via'] | undefined
  readonly number: string
  readonly trunk: string | null
  /** What the account dialled, where the trunk got another number. */
  readonly dialled?: string | undefined
  /** What the trunk got, where `number` is what the account dialled. */
  readonly sent?: string | undefined
  /** Of a caller on-net: the number whose document has dialled. It may have presented another one, so it is shown to no other account. */
  readonly dialledBy?: string | undefined
}

/** Numbers as the account dialled them: what stands before them for a trunk is the operator's, and may be a credential. */
export const legsOfCustomers = (legs: ReadonlyMap<number, LegFacts>): ReadonlyMap<number, LegFacts> =>
  new Map(
    [...legs].map(([index, leg]) => [
      index,
      leg.dialled === undefined ? leg : { ...leg, number: leg.dialled, sent: leg.number },
    ]),
  )

const decoder = new TextDecoder()
const legBegins = new TextEncoder().encode('{"kind":"leg-begins"')

/**
 * The legs by their number, with what was known of each at last. A message may be older than what says whose it is: its
 * reader must know before it is shown.
 */
export function legsOf(records: readonly RecordView[]): ReadonlyMap<number, LegFacts> {
  const legs = new Map<number, LegFacts>()
  for (const { kind, leg, payload } of records) {
    if (kind !== recordKinds.note || leg === 0 || legBegins.some((byte, at) => payload[at] !== byte)) continue
    try {
      legs.set(leg, merged(legs.get(leg), JSON.parse(decoder.decode(payload))))
    } catch {
      // Damaged on the disk: the leg is not known then.
    }
  }
  return legs
}

function merged(before: LegFacts | undefined, note: Readonly<Record<string, unknown>>): LegFacts {
  const { number = '', trunk, dialled, dialledBy } = note
  return {
    uuid: String(note.uuid),
    role: note.role === 'caller' ? 'caller' : 'callee',
    via: (note.via as TraceLeg['via'] | undefined) ?? before?.via,
    number: String(number) || (before?.number ?? ''),
    dialled: typeof dialled === 'string' ? dialled : before?.dialled,
    dialledBy: typeof dialledBy === 'string' ? dialledBy : before?.dialledBy,
    trunk: typeof trunk === 'string' ? trunk : (before?.trunk ?? null),
  }
}
