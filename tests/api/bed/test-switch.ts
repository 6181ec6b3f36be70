import type { OwnedSwitch } from '../../../api/base/door.ts'
import { openDatabase } from '../../../core/adapters/store/database.ts'
import { openRepositories } from '../../../core/adapters/store/repositories.ts'
import { storeOver } from '../../../core/adapters/store/store.ts'
import type { Settings } from '../../../core/model/settings.ts'
import type { Log } from '../../../core/ports/log.ts'
import { TestCalls } from './test-calls.ts'

/** A switch without telephony: its database is real. */
export async function openTestSwitch(
  settings: Settings,
  log: Log,
): Promise<OwnedSwitch & { readonly calls: TestCalls }> {
  const clock = { now: () => performance.now(), unixMs: () => Date.now(), at: () => () => {} }
  const store = storeOver(openDatabase(settings.dataFolder), { clock, log, quotas: settings.quotas })
  let draining = false
  return {
    settings,
    log,
    repositories: openRepositories(store, settings.publicUrl),
    calls: new TestCalls(store.calls),
    sipListeners: settings.sip.listeners,
    get isDraining() {
      return draining
    },
    health: async () => !draining,
    drain: () => {
      draining = true
    },
    resume: () => {
      draining = false
    },
    close: async () => store.database.close(),
  }
}
