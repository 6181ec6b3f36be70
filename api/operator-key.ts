import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../core/index.ts'
import { makeFolder, writeSecret } from '../core/startup/index.ts'

const operatorKeyFile = 'operator.key'

/** What the settings say, else what is in the data folder; undefined when neither does. */
export function findOperatorKey(settings: Settings): string | undefined {
  if (settings.operatorKey !== undefined) return settings.operatorKey
  try {
    const key = readFileSync(join(settings.dataFolder, operatorKeyFile), 'utf8').trim()
    return key === '' ? undefined : key
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw fault
  }
}

/** As `findOperatorKey`; at the first start without one it is made, readable for this user only. */
export function ensureOperatorKey(settings: Settings): string {
  const found = findOperatorKey(settings)
  if (found !== undefined) return found
  const key = `op_${randomBytes(32).toString('base64url')}`
  makeFolder(settings.dataFolder)
  writeSecret(join(settings.dataFolder, operatorKeyFile), `${key}\n`)
  return key
}
