import type { CallHandler, VerbDocument } from '../document-builder/index.ts'
import type { RemoteBehaviour } from './remote.ts'

/** A document, or a function that gives one. */
export type DocumentSource = CallHandler | VerbDocument | string

/** A row of the rate deck. Money is decimal KES. */
export interface SimulatedRate {
  /** `+254`; the longest that fits wins. */
  readonly prefix: string
  /** Default `outbound`. */
  readonly direction?: 'outbound' | 'inbound'
  readonly perMinute: string
  /** Talk time is billed in whole increments. Default 60. */
  readonly incrementSeconds?: number
  /** Default 0. */
  readonly minimumSeconds?: number
  /** Default 0. */
  readonly connectionFee?: string
}

/** An end-user with a registered phone. */
export interface SimulatedUser {
  readonly extension: string
  /** Default: `<extension>@example.test`. */
  readonly email?: string
  /** Default: `User <extension>`. */
  readonly displayName?: string
  /** How its phone behaves when it is called; `null`: none is registered. Default `answer`. */
  readonly phone?: RemoteBehaviour | null
}

/** What a `Simulation` is made of: documents, remote parties, the account and its prices. */
export interface SimulationOptions {
  /**
   * What answers requests for documents: one source for all, or one by path (`/`, `/menu`) or absolute URL. A request
   * for what is not there fails as a 404 does.
   */
  readonly documents: DocumentSource | Readonly<Record<string, DocumentSource>>
  /** Webhook of the account, the URL of the first document. Default: the path `/` of `documents`. */
  readonly webhook?: string
  /** Numbers that the account owns. Default `['+254700000001']`. */
  readonly numbers?: readonly string[]
  /** End-users of the account. Default: none. */
  readonly users?: readonly SimulatedUser[]
  /** Wallet at the start, decimal KES. Default `1000.00`. */
  readonly balance?: string
  /** The rate deck. Default: calls to every number cost nothing. */
  readonly rates?: readonly SimulatedRate[]
  /** How numbers, SIP URIs and trunks behave that are dialled. Default: each answers after 3 s and stays. */
  readonly remotes?: Readonly<Record<string, RemoteBehaviour>>
  /** How every remote behaves that `remotes` does not name. Default `answer`. */
  readonly otherRemotes?: RemoteBehaviour
  /** Milliseconds of assets and URLs that are played; `missing`: it does not exist. Default: 2,000 each. */
  readonly audio?: Readonly<Record<string, number | 'missing'>>
  /** Milliseconds that a document takes to come. Default 20. */
  readonly documentLatencyMs?: number
  /** What runs when a document fails. Default: `message` as for a new account. */
  readonly fallback?: { readonly mode: 'message' | 'play' | 'drop'; readonly value?: string }
  /** Wall clock at the start. Default 2026-01-01T00:00:00Z. */
  readonly startsAt?: Date
}
