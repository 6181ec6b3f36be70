import { existsSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Removes the folders in `parent` that a killed process has left half made: `NAME.MARK-PID` of a process that is gone.
 * `isOurs` looks at the folder, of which only the name is known.
 */
export async function removeDeadPartials(
  parent: string,
  mark: 'partial' | 'restoring',
  isOurs: (name: string, folder: string) => boolean,
): Promise<void> {
  if (!existsSync(parent)) return
  for (const entry of readdirSync(parent, { withFileTypes: true })) {
    const [, name, kind, pid] = /^(.+)\.(partial|restoring)-(\d+)$/.exec(entry.name) ?? []
    if (name === undefined || kind !== mark || !entry.isDirectory() || isAlive(Number(pid))) continue
    const folder = join(parent, entry.name)
    if (isOurs(name, folder)) await rm(folder, { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'EPERM'
  }
}
