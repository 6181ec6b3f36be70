import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * The folder, and those that lead to it, for this user alone; what is there stays as it is. Throws the system's error, with
 * `path` the folder. Node's recursive mkdir makes the parent of what the system says ENOENT of, for good where the parent is
 * there and takes none: below /proc it never returns.
 */
export function makeFolder(folder: string): void {
  const path = resolve(folder)
  const missing: string[] = []
  for (let each = path; !existsSync(each) && each !== dirname(each); each = dirname(each)) missing.unshift(each)
  try {
    // A file has its place: the system's word for that is EEXIST.
    if (missing.length === 0 && !isFolder(path)) mkdirSync(path)
    for (const each of missing) makeOne(each)
  } catch (cause) {
    const { code, syscall, message } = cause as NodeJS.ErrnoException
    throw Object.assign(new Error(`the folder ${path} cannot be made: ${message}`, { cause }), { code, syscall, path })
  }
}

function makeOne(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (cause) {
    // Another process has made it meanwhile.
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST' || !isFolder(path)) throw cause
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
