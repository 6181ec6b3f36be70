import type { SrtpKeys } from './profile.ts'

/** What protects the packets of each side. */
export interface MediaKeys {
  readonly local: SrtpKeys
  readonly remote: SrtpKeys
}
