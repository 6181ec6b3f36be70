import { accessSync, constants, lstatSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * A folder that only this user can read or write, for what the program keeps between starts: the first of these
 * that can be had. `CACHE_DIRECTORY` is what systemd's CacheDirectory= gives to a unit.
 */
export function cacheFolder(environment: NodeJS.ProcessEnv): string | undefined {
  const given = environment.CACHE_DIRECTORY?.split(':')[0] ?? ''
  if (given !== '') return privateFolder(join(given, 'sauti'))
  const base = environment.XDG_CACHE_HOME ?? ''
  return privateFolder(join(base.startsWith('/') ? base : join(homedir(), '.cache'), 'sauti'))
}

/** Makes the folder if it is missing. Undefined: it cannot be made or written, or another user may write to it. */
export function privateFolder(path: string): string | undefined {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    const { uid, mode } = lstatSync(path)
    const isOurs = lstatSync(path).isDirectory() && uid === process.getuid?.() && (mode & 0o077) === 0
    if (!isOurs) return undefined
    accessSync(path, constants.W_OK | constants.X_OK)
    return path
  } catch {
    return undefined
  }
}
