import type { Log } from '../../ports/log.ts'

const nothing = (): void => {}

/** For an embedder who gives no log. */
export const silentLog: Log = Object.freeze({ error: nothing, warn: nothing, info: nothing, debug: nothing })
