import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parse } from 'yaml'
import { type ParsedSettings, parseSettings } from '../core/index.ts'

export const defaultFile = 'sauti.yaml'

/**
 * Settings of this process: flags, environment, and the YAML file that `config` names (or sauti.yaml, when there is
 * one).
 */
export function readSettings(
  flags: Readonly<Record<string, unknown>>,
  config: string | undefined,
  environment: NodeJS.ProcessEnv = process.env,
): ParsedSettings {
  const path = config ?? defaultFile
  let file: unknown
  try {
    file = parse(readFileSync(path, 'utf8'))
  } catch (fault) {
    const isMissing = (fault as NodeJS.ErrnoException).code === 'ENOENT'
    if (!isMissing || config !== undefined) {
      const message = isMissing ? 'there is no such file' : firstLine(fault)
      return { ok: false, problems: [{ name: path, message }] }
    }
  }
  return parseSettings({ flags, environment, file, cores: availableParallelism() })
}

const firstLine = (fault: unknown): string =>
  (fault instanceof Error ? fault.message : String(fault)).split('\n')[0] ?? ''
