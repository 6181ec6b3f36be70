// The door of what a program needs before it loads a switch: its settings, and the thread of the database, which opens meanwhile.

export { startWriter } from '../adapters/store/threads/start-writer.ts'
export type { StoreWorker } from '../adapters/store/threads/store-worker.ts'
export { makeFolder } from '../adapters/system/make-folder.ts'
export { writeSecret } from '../adapters/system/write-secret.ts'
export { suggestion } from '../model/nearest.ts'
export { defaultSettings } from '../model/settings.ts'
export { type ParsedSettings, parseSettings } from '../settings.ts'
export { settingOptions } from '../settings-options.ts'
