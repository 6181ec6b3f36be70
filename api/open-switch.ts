import { type Log, type Settings, Switch } from '../core/index.ts'
import type { StoreWorker } from '../core/startup/index.ts'
import type { OwnedSwitch } from './base/door.ts'

/** The switch of this process, as the HTTP side sees it. `writer`: the database's thread, when it was started before. */
export const openSwitch = (settings: Settings, log: Log, writer?: StoreWorker): Promise<OwnedSwitch> =>
  Switch.open(settings, { log, writer })
