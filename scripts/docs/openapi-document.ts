import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SwitchDoor } from '../../api/base/door.ts'
import { buildApi } from '../../api/server.ts'
import { openDatabase } from '../../core/adapters/store/database.ts'
import { openRepositories } from '../../core/adapters/store/repositories.ts'
import { storeOver } from '../../core/adapters/store/store.ts'
import { defaultSettings } from '../../core/model/settings.ts'

/** What `/openapi.json` answers with default settings: from the routes themselves, over an empty database. */
export async function openApiDocument(): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'sauti-docs-'))
  const log = { error() {}, warn() {}, info() {}, debug() {} }
  const clock = { now: () => performance.now(), unixMs: () => Date.now(), at: () => () => {} }
  const store = storeOver(openDatabase(folder), { clock, log })
  const settings = { ...defaultSettings, dataFolder: folder }
  const asked = () => Promise.reject(new Error('nobody calls while the reference is written'))
  const door: SwitchDoor = {
    settings,
    log,
    repositories: openRepositories(store, settings.publicUrl),
    calls: {
      originate: asked,
      hangup: asked,
      get: asked,
      list: asked,
      listTexts: asked,
      live: () => [],
      liveOf: () => 0,
    },
    isDraining: false,
    health: async () => true,
    drain() {},
    resume() {},
  }
  const app = await buildApi(door, { operatorKey: 'none' })
  try {
    return await app.openApi()
  } finally {
    await app.close()
    store.database.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
