import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { isSea } from 'node:sea'
import { parse } from 'yaml'
import { type ParsedSettings, parseSettings } from '../core/startup/index.ts'

export const defaultFile = 'sauti.yaml'

/** Settings of the Debian package. Only the executable reads them: a checkout on the same machine is another switch. */
const packageFile = '/etc/sauti/sauti.yaml'

/** The settings file when none is named: sauti.yaml where the program starts, else that of the installed package. */
export function foundFile(): string | undefined {
  if (existsSync(defaultFile)) return defaultFile
  return isSea() && isReadable(packageFile) ? packageFile : undefined
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

/** Settings of this process: flags, environment, and the YAML file that `config` names, else the one that is found. */
export function readSettings(
  flags: Readonly<Record<string, unknown>>,
  config: string | undefined,
  environment: NodeJS.ProcessEnv = process.env,
): ParsedSettings {
  const path = config ?? foundFile()
  let file: unknown
  if (path !== undefined)
    try {
      file = parse(readFileSync(path, 'utf8'))
    } catch (fault) {
      const isMissing = (fault as NodeJS.ErrnoException).code === 'ENOENT'
      const message = isMissing ? 'there is no such file' : firstLine(fault)
      return { ok: false, problems: [{ name: path, message }] }
    }
  return parseSettings({ flags, environment, file, cores: availableParallelism() })
}

const firstLine = (fault: unknown): string =>
  (fault instanceof Error ? fault.message : String(fault)).split('\n')[0] ?? ''
