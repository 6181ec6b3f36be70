import type { Command } from './command.ts'

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
  run: async input => {
    const { runBackup } = await import('./run-backup.ts')
    return runBackup(input)
  },
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
  run: async input => {
    const { runRestore } = await import('./run-backup.ts')
    return runRestore(input)
  },
}
