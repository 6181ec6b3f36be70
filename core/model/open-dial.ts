import type { Sid } from './ids.ts'

/** What a Dial may reach by a leg. */
export type DialKind = 'number' | 'client' | 'sip'

/** A Dial whose last event is not written yet, as far as its leg's row does not hold it. */
export type OpenDial =
  /** One leg that it dials. `from`: what the remote side sees. */
  | { readonly kind: DialKind; readonly sid: Sid; readonly from: string }
  /** The party's stay in a room, by the account's name for it; null: it has none yet. */
  | { readonly kind: 'conference'; readonly sid: Sid; readonly room: string; readonly sinceUnix: number | null }
