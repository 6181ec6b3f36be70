import { type Log, type Settings, Switch } from '../core/index.ts'
import type { OwnedSwitch } from './base/door.ts'

/** The switch of this process, as the HTTP side sees it. */
export const openSwitch = (settings: Settings, log: Log): Promise<OwnedSwitch> => Switch.open(settings, { log })
