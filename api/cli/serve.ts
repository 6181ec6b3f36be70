import { stat } from 'node:fs/promises'
import { goBefore, servedNiceness } from '../../core/adapters/system/thread-niceness.ts'
import { RealTimePrecedence, type Settings, signallingPrecedence } from '../../core/index.ts'
import type { StoreWorker } from '../../core/startup/index.ts'
import { openLog } from '../log.ts'
import { openSwitch } from '../open-switch.ts'
import { type Serving, serve } from '../serving.ts'
import { saveCompiled } from './compile-cache.ts'
import { startFailure } from './start-failure.ts'
import { unavailableSetting } from './unavailable-setting.ts'

type ServeLog = ReturnType<typeof openLog>

const exitOf = { SIGTERM: 143, SIGINT: 130 } as const

/** An uncaught fault ends the program with a line in the log: the state that it leaves is not known. */
export function endAtFault(log: Pick<ServeLog, 'error' | 'flush'>): void {
  process.on('uncaughtException', fault => {
    log.error(
      { error: fault instanceof Error ? (fault.stack ?? fault.message) : String(fault) },
      'the program has a fault and ends; calls are closed at the next start',
    )
    log.flush()
    process.exit(70)
  })
}

/** `sauti serve`: runs until a signal ends it. `writer`: the database's thread, started before. Returns the exit code. */
export async function runServe(settings: Settings, writer: StoreWorker | undefined): Promise<number> {
  const log = openLog(settings.log)
  endAtFault(log)
  const unavailable = unavailableSetting(settings, process.env)
  if (unavailable !== undefined) {
    log.error({}, unavailable)
    log.flush()
    return 1
  }
  let serving: Serving
  try {
    serving = await serve(settings, log, (settings, log) => openSwitch(settings, log, writer))
  } catch (fault) {
    const sentence = startFailure(fault, settings)
    log.error(
      sentence === undefined ? { error: (fault as Error).stack ?? String(fault) } : {},
      sentence ?? 'could not start',
    )
    log.flush()
    return 1
  }
  saveCompiled()
  await goFirst(settings)
  await untilSignal(serving)
  log.flush()
  return 0
}

/**
 * Signalling goes before what else the machine does but media, where the system allows it, and V8's threads come with it: by its
 * niceness, and in real time while it has a processor of its own. Threads that this thread starts with its niceness would go
 * before others, too: those of Node's pool are there when one of them has worked.
 */
async function goFirst({ dataFolder, media }: Settings): Promise<void> {
  await stat(dataFolder)
  if (goBefore(servedNiceness)) new RealTimePrecedence(signallingPrecedence(media.workers)).keep()
}

/** The first signal drains, the second stops at once. */
export function untilSignal(serving: Pick<Serving, 'drainAndClose'>): Promise<void> {
  return new Promise((resolve, reject) => {
    let isDraining = false
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (isDraining) process.exit(exitOf[signal])
        isDraining = true
        serving.drainAndClose().then(resolve, reject)
      })
    }
  })
}
