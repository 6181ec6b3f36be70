import { enableCompileCache, flushCompileCache, getCompileCacheDir } from 'node:module'
import { join } from 'node:path'

/** From now on what is compiled is kept there, and taken from there at the next start. V8 checks that it is of this source. */
export function keepCompiled(folder: string): void {
  const directory = join(folder, 'compiled')
  enableCompileCache(directory)
  // Threads and child processes of ours look here.
  if (getCompileCacheDir() !== undefined) process.env.NODE_COMPILE_CACHE = directory
}

/** Writes what this start has compiled: a switch runs for months, and may then be killed. */
export function saveCompiled(): void {
  if (getCompileCacheDir() !== undefined) flushCompileCache()
}
