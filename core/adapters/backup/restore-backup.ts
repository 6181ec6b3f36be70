import { existsSync, readdirSync } from 'node:fs'
import { chown, copyFile, mkdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { isFolderInUse } from '../store/database.ts'
import { schemaVersion } from '../store/migrations.ts'
import { makeFolder } from '../system/make-folder.ts'
import { removeDeadPartials } from './dead-partials.ts'
import { BackupError, type BackupManifest, hashFile, manifestFile, readManifest } from './manifest.ts'

interface RestoreOrder {
  readonly from: string
  readonly dataFolder: string
  /** A data folder with something in it is put aside. */
  readonly replace: boolean
  readonly onProgress?: (part: string, done: number, total: number) => void
}

interface Restored {
  readonly manifest: BackupManifest
  /** Where the former data folder is now, when there was one. */
  readonly putAside: string | undefined
}

/** Puts a backup into place once every file of it has proved right. Changes nothing when it rejects. */
export async function restoreBackup({ from, dataFolder, replace, onProgress }: RestoreOrder): Promise<Restored> {
  const data = resolve(dataFolder)
  const manifest = readManifest(from)
  if (manifest.schema > schemaVersion)
    throw new BackupError(
      `${from} has schema ${manifest.schema}, this program knows ${schemaVersion}: restore it with Sauti ${manifest.program} or newer`,
    )
  const isFull = existsSync(data) && readdirSync(data).length > 0
  if (isFull && isFolderInUse(data)) throw new BackupError(`a switch runs on ${data}: stop it first`)
  if (isFull && !replace)
    throw new BackupError(
      `${data} is not empty: name another folder with --data, or move this one aside with --replace`,
    )
  const owner = existsSync(data) ? await stat(data) : undefined
  await removeDeadPartials(dirname(data), 'restoring', name => name === basename(data))
  const partial = `${data}.restoring-${process.pid}`
  try {
    makeFolder(partial)
    for (const [at, { path, size, sha256 }] of manifest.files.entries()) {
      const to = join(partial, path)
      await mkdir(dirname(to), { recursive: true, mode: 0o700 })
      await copyFile(join(from, path), to).catch(cause => {
        throw new BackupError(`${from} is damaged: ${path} cannot be read`, { cause })
      })
      // The copy is hashed, so that what was proved is what is put into place.
      const found = await hashFile(to)
      if (found.size !== size || found.sha256 !== sha256)
        throw new BackupError(`${from} is damaged: ${path} is not what ${manifestFile} says`)
      onProgress?.('files', at + 1, manifest.files.length)
    }
    if (owner !== undefined && process.getuid?.() === 0) await chownAll(partial, owner)
    const putAside = isFull ? `${data}.before-restore-${Date.now()}` : undefined
    if (putAside !== undefined) await rename(data, putAside)
    await rename(partial, data)
    return { manifest, putAside }
  } catch (fault) {
    await rm(partial, { recursive: true, force: true })
    throw fault
  }
}

async function chownAll(folder: string, { uid, gid }: { readonly uid: number; readonly gid: number }): Promise<void> {
  const names = ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })]
  for (const name of names) await chown(join(folder, name), uid, gid)
}
