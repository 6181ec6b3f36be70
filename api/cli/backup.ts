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
import { type Command, type CommandInput, textOf } from './command.ts'
import { progressBar } from './progress.ts'

const bytesPerMb = 1_000_000

/** `sauti backup DIR`. */
export const backup: Command = {
  name: 'backup',
  summary: 'copy the data folder; the switch may keep running',
  words: ['DIR'],
  about: `Makes the folder DIR with the database as it is at one moment, all other files of the data folder but cache/ (recordings,
assets, keys, traces), the settings file, and backup.json, which names every file with its SHA-256. It runs as its own process;
a switch on the folder keeps running.

DIR appears when the backup is complete. Until then it is called DIR.partial-PID; the next backup of that name removes what a
killed one has left, one of another name in the same place after 12 hours. The backup holds secrets, so only its user can read it.`,
  flags: [],
  settings: ['data'],
  examples: ['sauti backup /backup/sauti-$(date +%F) --data /var/lib/sauti'],
  exits: {
    0: 'the backup is complete',
    1: 'there is no backup; the message says why',
    2: 'an argument, flag or setting is wrong',
  },
  run: input =>
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
    }),
}

/** `sauti restore DIR`. */
export const restore: Command = {
  name: 'restore',
  summary: 'put a backup into the data folder and check its books',
  words: ['DIR'],
  about: `Checks every file of the backup DIR against its SHA-256, copies it into the data folder and runs "sauti check" on it. The
data folder must be empty or absent; when a check fails, nothing is changed. Stop the switch first. Calls that were
live at the time of the backup are closed at the next start, as after a crash. The settings file of the backup is copied to
settings/sauti.yaml in the data folder, for comparison.`,
  flags: [{ flag: 'replace', help: 'a data folder that is not empty is renamed, not deleted' }],
  settings: ['data'],
  examples: [
    'sauti restore /backup/sauti-2026-03-01 --data /var/lib/sauti',
    'sauti restore /backup/sauti-2026-03-01 --data /tmp/trial',
  ],
  exits: {
    0: 'restored, and the books balance',
    1: 'not restored, or the books do not balance',
    2: 'an argument, flag or setting is wrong',
  },
  run: input =>
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
    }),
}

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
