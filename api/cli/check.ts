import { checkBooks, openDatabase, type Settings, StoreError, unusableStore } from '../../core/index.ts'

interface Checked {
  readonly code: 0 | 1
  readonly output: string
}

/** `sauti check`: reads the database of the data folder, changes nothing. */
export function runCheck(settings: Settings, asJson: boolean): Checked {
  const folder = settings.dataFolder
  try {
    const database = openDatabase(folder, { readOnly: true })
    try {
      const problems = checkBooks(database)
      const code = problems.length === 0 ? 0 : 1
      if (asJson) return { code, output: JSON.stringify({ ok: code === 0, problems }, null, 2) }
      if (code === 0) return { code, output: `The books in ${folder} balance.` }
      const lines = problems.map(({ rule, subject, detail }) => `  ${subject}: ${rule} (${detail})`)
      return { code, output: [`The books in ${folder} have ${problems.length} problems:`, ...lines].join('\n') }
    } finally {
      database.close()
    }
  } catch (cause) {
    const fault = unusableStore(folder, cause)
    if (!(fault instanceof StoreError)) throw fault
    return {
      code: 1,
      output: asJson ? JSON.stringify({ ok: false, error: fault.message }) : `Not checked: ${fault.message}`,
    }
  }
}
