import {
  BackupError,
  type BackupManifest,
  migrationsFrom,
  restoreBackup,
  StoreError,
  takeBackup,
} from '../../core/index.ts'
import { version } from '../base/version.ts'
import { foundFile } from '../settings-files.ts'
import { runCheck } from './check.ts'
import { type CommandInput, textOf } from './command.ts'
import { progressBar } from './progress.ts'

const bytesPerMb = 1_000_000

/** The work of `sauti backup`. Returns the exit code. */
export const runBackup = (input: CommandInput): Promise<number> =>
  reportOutcome(input, async () => {
    const { given, settings } = input
    const config = textOf(given, 'config') ?? foundFile()
    const into = given.words[1] ?? ''
    const manifest = await takeBackup({
      dataFolder: settings.dataFolder,
      into,
      program: version,
      onProgress: progressBar(process.stderr),
      ...(config === undefined ? {} : { settingsFile: config }),
    })
    const { files, ...facts } = manifest
    const sums = { ...facts, files: files.length, bytes: bytesOf(manifest) }
    return { code: 0, fields: sums, text: `${into} is whole: ${sums.files} files, ${megabytes(sums.bytes)}.` }
  })

/** The work of `sauti restore`. Returns the exit code. */
export const runRestore = (input: CommandInput): Promise<number> =>
  reportOutcome(input, async () => {
    const { given, settings } = input
    const { manifest, putAside } = await restoreBackup({
      from: given.words[1] ?? '',
      dataFolder: settings.dataFolder,
      replace: given.flags.has('replace'),
      onProgress: progressBar(process.stderr),
    })
    const steps = migrationsFrom(manifest.schema)
    const checked =
      steps.length === 0
        ? runCheck(settings, false)
        : {
            code: 0 as const,
            output: `Its schema ${manifest.schema} is brought up to date at the next start; run sauti check then.`,
          }
    const lines = [
      `${settings.dataFolder} is as it was at ${manifest.takenAt} (Sauti ${manifest.program}).`,
      ...(putAside === undefined ? [] : [`The former one is ${putAside}.`]),
      checked.output,
    ]
    const fields = { taken_at: manifest.takenAt, put_aside: putAside ?? null, check: checked.output }
    return { code: checked.code, fields, text: lines.join('\n') }
  })

interface Outcome {
  readonly code: number
  readonly fields: object
  readonly text: string
}

/** Prints the outcome for people or as JSON; an outside failure is a sentence and exit code 1. */
async function reportOutcome({ given, print }: CommandInput, work: () => Promise<Outcome>): Promise<number> {
  const asJson = given.flags.has('json')
  try {
    const { code, fields, text } = await work()
    print(asJson ? JSON.stringify({ ok: code === 0, ...fields }, null, 2) : text)
    return code
  } catch (fault) {
    const isOfTheSystem = (fault as NodeJS.ErrnoException).syscall !== undefined
    if (!(fault instanceof BackupError || fault instanceof StoreError || isOfTheSystem)) throw fault
    const { message } = fault as Error
    if (asJson) print(JSON.stringify({ ok: false, error: message }))
    else process.stderr.write(`${message}\n`)
    return 1
  }
}

const bytesOf = ({ files }: BackupManifest): number => files.reduce((sum, { size }) => sum + size, 0)
const megabytes = (bytes: number): string => `${(bytes / bytesPerMb).toFixed(1)} MB`
