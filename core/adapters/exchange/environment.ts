import { join } from 'node:path'
import { Destinations } from '../../billing/destinations.ts'
import { type CallEnvironment, type CallTimes, defaultCallTimes } from '../../contract/environment.ts'
import type { PhoneBinding } from '../../model/phone.ts'
import type { Trunk } from '../../model/trunk.ts'
import type { Clock, Random } from '../../ports/clock.ts'
import { codecsIn } from '../media/index.ts'
import { fractionOf } from '../system/system-clock.ts'

interface EnvironmentOptions {
  readonly clock: Pick<Clock, 'unixMs'>
  readonly random: Random
  readonly knownOwner: CallEnvironment['knownOwner']
  readonly isHosted: CallEnvironment['isHosted']
  /** The operator's tables; a change shows as another object. */
  readonly trunks: () => readonly Trunk[]
  readonly deck: CallEnvironment['deck']
  readonly destinations: () => { readonly blocked: readonly string[]; readonly allowed: readonly string[] }
  readonly bindingsOf: (endUserUuid: string) => readonly PhoneBinding[]
  readonly sipTarget: CallEnvironment['sipTarget']
  readonly recordingsFolder: string
  /** Recordings are purged so many days after they were made; 0 = never. */
  readonly recordingDays: number
  /** Bytes that an account's recordings may take where its operator has said nothing else. */
  readonly recordingQuota: number
  readonly times?: CallTimes
}

const dayMs = 24 * 3600 * 1000

/** The world as the exchange asks for it. */
export function callEnvironment(options: EnvironmentOptions): CallEnvironment {
  const { clock, random } = options
  return {
    uuid: random.uuid,
    random: () => fractionOf(random),
    unixMs: () => clock.unixMs(),
    knownOwner: options.knownOwner,
    isHosted: options.isHosted,
    trunks: options.trunks,
    bindingsOf: options.bindingsOf,
    sipTarget: options.sipTarget,
    codecsIn,
    deck: options.deck,
    destinations: derived(options.destinations, lists => new Destinations(lists.blocked, lists.allowed)),
    recordingPlace: (sid, uuid, unixMs, format) => {
      const day = new Date(unixMs)
      const month = String(day.getUTCMonth() + 1).padStart(2, '0')
      const path = join(String(day.getUTCFullYear()), month, `${sid}-${uuid}.${format}`)
      return { path, file: join(options.recordingsFolder, path) }
    },
    recordingKeptMs: options.recordingDays === 0 ? Number.POSITIVE_INFINITY : options.recordingDays * dayMs,
    recordingQuota: options.recordingQuota,
    times: options.times ?? defaultCallTimes,
  }
}

/** Built again only when one of its sources is another object. */
function derived<From, To>(read: () => From, make: (from: From) => To): () => To {
  let from = read()
  let made = make(from)
  return () => {
    const now = read()
    if (now !== from) {
      from = now
      made = make(now)
    }
    return made
  }
}
