import type { Settings } from '../../../model/settings.ts'
import { servedNiceness } from '../../system/thread-niceness.ts'
import { StoreWorker } from './store-worker.ts'

/**
 * Starts the thread that owns the database of the data folder, which opens it at once: a program does so before it loads its
 * other modules, and gives the thread to `Switch.open`. `terminate` ends it when there is none to open.
 */
export function startWriter(settings: Settings): StoreWorker {
  const { dataFolder: folder, publicUrl, quotas, media } = settings
  const precedence = { niceness: servedNiceness, mediaThreads: media.workers }
  const worker = new StoreWorker({ role: 'writer', folder, publicUrl, database: {}, quotas, precedence })
  worker.open(true)
  return worker
}
