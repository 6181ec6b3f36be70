import type { PackedDeck } from '../../../deck/index.ts'
import type { PhoneTokenRecord } from '../../../model/phone-token.ts'
import type { Quotas } from '../../../model/quota.ts'
import type { Trunk } from '../../../model/trunk.ts'
import type { Change } from '../../../ports/store.ts'
import type { DatabaseOptions } from '../database.ts'
import type { DestinationLists } from '../destinations.ts'
import type { LoggedEvent } from '../events.ts'
import type { KnownToken } from '../phone-tokens.ts'
import type { TimedRecovery } from '../recovery.ts'

/** When a thread of the store runs, beside others that could. */
export interface StorePrecedence {
  /** Where there are such: how willingly the thread leaves the processor to others, 0 to 19; below 0 it goes before them. */
  readonly niceness: number
  /** It is in real time while there is a processor more than so many media threads, and time to spare. Undefined: never. */
  readonly mediaThreads?: number
}

/** What the thread of a store gets at its start. */
export interface StoreThreadConfig {
  /** `writer` owns the database; `reader` looks, over a connection that cannot write. */
  readonly role: 'writer' | 'reader'
  readonly folder: string
  /** Without a trailing slash. */
  readonly publicUrl: string
  readonly database: DatabaseOptions
  /** What an account may store where its operator has said nothing else. */
  readonly quotas: Quotas
  readonly precedence: StorePrecedence
}

/** A call of a method of `StoreParts`; arguments and result are data. */
export interface StoreCall {
  readonly id: number
  readonly part: string
  readonly method: string
  readonly args: readonly unknown[]
}

/** The unit of work that a request writes; empty when it is another request. */
export const unitOf = ({ part, method, args }: StoreCall): readonly Change[] =>
  part === 'calls' && (method === 'commit' || method === 'commitSoon') ? (args[0] as readonly Change[]) : []

export type ToStore =
  /**
   * Opens the database. `recover`: closes first what an earlier process had left open. `doubted`: events of units that the
   * writer before may have committed.
   */
  | { readonly type: 'open'; readonly recover: boolean; readonly doubted: readonly string[] }
  /** All of one turn of the asking thread's event loop. */
  | { readonly type: 'calls'; readonly calls: readonly StoreCall[] }
  /** Commits what was given, then closes. */
  | { readonly type: 'close' }

/** An `Error` as data: classes do not cross threads. */
export interface Fault {
  readonly name: string
  readonly message: string
  readonly code: string | undefined
  readonly stack: string | undefined
}

/** What the signalling thread keeps in memory, as it is at the start. */
export interface Known {
  readonly trunks: readonly Trunk[]
  readonly rates: PackedDeck
  readonly destinations: DestinationLists
  readonly tokens: readonly KnownToken[]
  /** The digits of every number. */
  readonly numbers: Float64Array
}

/** An event of a doubted unit that is in the log. */
export interface WrittenEvent {
  readonly uuid: string
  readonly seq: number
}

/** In the order in which it happened: a change is reported before the answer to the request for it. */
export type News =
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly type: 'fault'; readonly id: number; readonly fault: Fault }
  | { readonly type: 'event'; readonly logged: LoggedEvent }
  /** The same of an event that the unit of request `id` brought as its change `at`: it does not cross a second time. */
  | { readonly type: 'own-event'; readonly id: number; readonly at: number; readonly seq: number }
  | { readonly type: 'callbacks-added' }
  | { readonly type: 'committed'; readonly durationMs: number; readonly units: number }
  /** Another process holds the write lock: units wait. */
  | { readonly type: 'blocked'; readonly isBlocked: boolean }
  | { readonly type: 'trunks'; readonly trunks: readonly Trunk[] }
  | { readonly type: 'rates'; readonly rates: PackedDeck }
  | { readonly type: 'destinations'; readonly destinations: DestinationLists }
  | { readonly type: 'tokens'; readonly endUserUuid: string; readonly tokens: readonly KnownToken[] }
  | { readonly type: 'token-revoked'; readonly record: PhoneTokenRecord }

export type FromStore =
  /** All but the type come from the writer. `written`: those of the doubted events that are there, in the order of the log. */
  | {
      readonly type: 'opened'
      readonly known?: Known
      readonly written?: readonly WrittenEvent[]
      readonly recovered?: TimedRecovery
    }
  | { readonly type: 'not-opened'; readonly fault: Fault }
  | { readonly type: 'news'; readonly news: readonly News[] }
  | { readonly type: 'closed' }
