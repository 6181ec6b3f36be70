import { constants, existsSync, statSync } from 'node:fs'
import { copyFile, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { databaseFile, isDatabaseFile } from '../store/database.ts'
import { unusableStore } from '../store/errors.ts'
import { versionOf } from '../store/migrations.ts'
import { makeFolder } from '../system/make-folder.ts'
import { removeDeadPartials } from './dead-partials.ts'
import { type BackedUpFile, BackupError, type BackupManifest, hashFile, manifestFile, newManifest } from './manifest.ts'

/** Pages of the database copied at a time, between which progress is reported. */
const pagesAtATime = 2000
const busyTimeoutMs = 5000
/** Made again when it is missing. */
const leftOut = new Set(['cache'])

/** Age from which an unfinished backup of another name is removed: its process may run on another machine. */
const untouchedMs = 12 * 3_600_000

interface BackupOrder {
  readonly dataFolder: string
  /** The backup: a folder that is not there yet. */
  readonly into: string
  readonly program: string
  /** The settings file, when there is one. */
  readonly settingsFile?: string
  readonly onProgress?: (part: string, done: number, total: number) => void
}

/**
 * Copies the data folder of a running or stopped switch: the database as it was at one moment, then every other file.
 * All is written beside `into` and renamed at the end: what is called `into` is whole. Runs in the process of the caller;
 * a running switch goes on writing meanwhile. Rejects with a `BackupError` or the system's error.
 */
export async function takeBackup(order: BackupOrder): Promise<BackupManifest> {
  const into = resolve(order.into)
  const data = resolve(order.dataFolder)
  if (existsSync(into)) throw new BackupError(`${into} exists already: name a new folder for each backup`)
  if (`${into}/`.startsWith(`${data}/`)) throw new BackupError(`${into} is in the data folder: name another place`)
  if (!existsSync(join(data, databaseFile)))
    throw new BackupError(`${data} has no database: there is nothing to back up`)
  // Those of other names too: a backup a night has a name a night. By then no process, here or on another machine, writes it.
  const isOurs = (name: string, folder: string) =>
    name === basename(into) || isLongUntouched(join(folder, databaseFile))
  await removeDeadPartials(dirname(into), 'partial', isOurs)
  const partial = `${into}.partial-${process.pid}`
  try {
    makeFolder(partial)
    const takenAt = new Date().toISOString()
    const schema = await copyDatabase(data, partial, order)
    const files: BackedUpFile[] = [{ path: databaseFile, ...(await hashFile(join(partial, databaseFile))) }]
    const names = await filesOf(data)
    for (const [at, name] of names.entries()) {
      const copied = await copyInto(join(data, name), partial, name)
      if (copied !== undefined) files.push(copied)
      order.onProgress?.('files', at + 1, names.length)
    }
    if (order.settingsFile !== undefined) {
      const copied = await copyInto(order.settingsFile, partial, 'settings/sauti.yaml')
      if (copied !== undefined) files.push(copied)
    }
    const manifest = newManifest({ program: order.program, schema, takenAt, files })
    await writeFile(join(partial, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true })
    await flush(partial)
    await rename(partial, into)
    await flush(dirname(into))
    return manifest
  } catch (fault) {
    await rm(partial, { recursive: true, force: true })
    throw unusableStore(data, fault)
  }
}

function isLongUntouched(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false })
  return found !== undefined && found.mtimeMs < Date.now() - untouchedMs
}

/** One read transaction holds the moment, so that writers in between neither wait nor begin the copy again. */
async function copyDatabase(data: string, into: string, { onProgress }: BackupOrder): Promise<number> {
  const source = new BetterSqlite(join(data, databaseFile), {
    readonly: true,
    fileMustExist: true,
    timeout: busyTimeoutMs,
  })
  try {
    source.exec('BEGIN')
    const schema = versionOf(source)
    await source.backup(join(into, databaseFile), {
      progress: ({ totalPages, remainingPages }) => {
        onProgress?.('database', totalPages - remainingPages, totalPages)
        return pagesAtATime
      },
    })
    return schema
  } finally {
    source.close()
  }
}

/** Every file of the data folder but the database, relative to it. */
async function filesOf(data: string): Promise<string[]> {
  const entries = await readdir(data, { recursive: true, withFileTypes: true })
  return entries
    .filter(entry => entry.isFile())
    .map(entry => relative(data, join(entry.parentPath, entry.name)))
    .filter(name => !isDatabaseFile(name) && !leftOut.has(name.split('/')[0] ?? ''))
}

/** Undefined when the file has gone since it was listed: a recording was purged. */
async function copyInto(from: string, folder: string, path: string): Promise<BackedUpFile | undefined> {
  const to = join(folder, path)
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE)
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw fault
  }
  await flush(to)
  return { path, ...(await hashFile(to)) }
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
