import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { HttpListener, Log, Settings } from '../core/index.ts'
import type { OwnedSwitch } from './base/door.ts'
import type { Api } from './base/fastify.ts'
import { version } from './base/version.ts'
import { startHousekeeping } from './housekeeping.ts'
import { type HttpListeners, listen } from './listeners.ts'
import { ensureOperatorKey } from './operator-key.ts'
import { isPortalBuilt, preparePortal } from './portal/portal-bundle.ts'
import { buildApi } from './server.ts'

/** How often a drain looks whether the last call has gone. */
const drainPollMs = 100
/** Time that calls cut by the drain have for their last rows. */
const lastRowsMs = 5000
/** On a busy machine a media thread takes seconds to load. */
const longestStartMs = 10_000
const healthPollMs = 20

export interface Serving {
  readonly door: OwnedSwitch
  readonly api: Api
  readonly operatorKey: string
  /** What listens, in the order of the settings, with the ports that the system chose. */
  readonly http: readonly HttpListener[]
  /** No new calls; resolves when the live ones have ended or had their time, and everything is closed. */
  drainAndClose(): Promise<void>
  close(): Promise<void>
}

/**
 * Opens a switch and its HTTP side; `prepare` runs before the first request is accepted. Rejects, with everything
 * closed again, when a part cannot start.
 */
export async function serve(
  settings: Settings,
  log: Log,
  open: (settings: Settings, log: Log) => Promise<OwnedSwitch>,
  prepare: (door: OwnedSwitch) => Promise<void> = async () => {},
): Promise<Serving> {
  // Everything that this process writes is for its user alone: keys, recordings, the database.
  process.umask(0o077)
  const operatorKey = ensureOperatorKey(settings)
  const door = await open(settings, log)
  let api: Api | undefined
  let housekeeping: ReturnType<typeof startHousekeeping> | undefined
  try {
    await prepare(door)
    // What SIP has got while the parts were joined is answered first.
    await nextTurn()
    // The database's thread frees what a crash left in flight while this one builds the API.
    housekeeping = startHousekeeping(door.repositories, log)
    // It may fail before it is awaited.
    housekeeping.catch(() => {})
    const built = await buildApi(door, { operatorKey })
    api = built
    const stopHousekeeping = await housekeeping
    const http: HttpListeners = await listen(built, settings.http, door.tls)
    const written = ({ scheme, address, port }: HttpListener) =>
      `${scheme === 'http' ? '' : 'https:'}${bracketed(address)}:${port}`
    const sip = door.sipListeners.map(each => `${each.transport}:${bracketed(each.address)}:${each.port}`)
    await untilHealthy(door)
    log.info(
      { version, http: http.bound.map(written).join(), sip, data: settings.dataFolder, pid: process.pid },
      'ready',
    )
    // In a source tree that is half a second of esbuild: there the first visitor, or `npm start`, asks for it.
    if (isPortalBuilt()) preparePortal()
    // The threads of lists start with the first list, at low priority: none starts while a client waits for its first page.
    door.repositories.operatorChanges.list({ limit: 1, offset: 0 }).catch(fault => {
      log.error({ fault: String(fault) }, 'the first list failed')
    })
    const close = async () => {
      const closed = http.close()
      // Ends the connections of all listeners.
      await built.close()
      await closed
      await stopHousekeeping()
      await door.close()
    }
    return {
      door,
      api: built,
      operatorKey,
      http: http.bound,
      close,
      drainAndClose: () => drain(door, log, close),
    }
  } catch (fault) {
    await housekeeping?.then(
      stop => stop(),
      () => {},
    )
    await api?.close()
    await door.close()
    throw fault
  }
}

/** Media threads load while the API is built. Who waits for `ready` and then asks for the health gets `ok`. */
async function untilHealthy(door: OwnedSwitch): Promise<void> {
  const until = performance.now() + longestStartMs
  while (!(await door.health().catch(() => false)) && performance.now() < until) await sleep(healthPollMs)
}

async function drain(door: OwnedSwitch, log: Log, close: () => Promise<void>): Promise<void> {
  const { drainSeconds } = door.settings
  log.info({ live_calls: door.calls.live().length, seconds: drainSeconds }, 'draining')
  door.drain(drainSeconds)
  const until = performance.now() + drainSeconds * 1000 + lastRowsMs
  while (door.calls.live().length > 0 && performance.now() < until) await sleep(drainPollMs)
  await close()
  log.info({}, 'stopped')
}

const bracketed = (address: string): string => (address.includes(':') ? `[${address}]` : address)
