import { Caps } from './caps.ts'
import { RecordingQuota } from './recording-quota.ts'
import { StartPacer } from './start-pacer.ts'

/** What the calls of each account take at this moment, by the account's uuid (docs/errors.md, "Caps of an account"). */
export class AccountLoads {
  /** Calls that the account places, by API or by softphone. */
  readonly placed = new Caps()
  /** Calls to its numbers, on-net ones included. */
  readonly inbound = new Caps()
  /** Legs that its Dials have opened: each costs ports, whatever its destination. */
  readonly dialled = new Caps()
  readonly recordings = new RecordingQuota()
  /** When its dialled legs that leave the switch begin. */
  readonly starts = new StartPacer()

  /** Places that are taken, of all accounts; 0 when no call lives. */
  get size(): number {
    return this.placed.size + this.inbound.size + this.dialled.size
  }
}
