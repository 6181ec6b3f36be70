import { migrationsFrom, StoreError, schemaVersion, storedSchema } from '../../core/index.ts'
import { version } from '../base/version.ts'
import type { CommandInput } from './command.ts'

/** The work of `sauti upgrade --check`. Returns the exit code. */
export async function runUpgrade({ given, settings, print }: CommandInput): Promise<number> {
  const folder = settings.dataFolder
  const asJson = given.flags.has('json')
  let schema: number | undefined
  try {
    schema = storedSchema(folder)
  } catch (fault) {
    if (!(fault instanceof StoreError)) throw fault
    print(asJson ? JSON.stringify({ ok: false, error: fault.message }) : fault.message)
    return 1
  }
  const ok = (schema ?? 0) <= schemaVersion
  const migrations = schema === undefined ? [] : migrationsFrom(schema)
  const fields = { ok, program: version, program_schema: schemaVersion, database_schema: schema ?? null, migrations }
  print(asJson ? JSON.stringify(fields, null, 2) : sentences(folder, schema, migrations))
  return ok ? 0 : 1
}

function sentences(folder: string, schema: number | undefined, migrations: readonly string[]): string {
  const program = `This program is Sauti ${version}, schema ${schemaVersion}.`
  if (schema === undefined) return `${program}\n${folder} has no database yet: the first start makes it.`
  const database = `The database in ${folder} has schema ${schema}`
  if (schema > schemaVersion)
    return `${program}\n${database}: a newer program wrote it, and this one does not start with it.
Start the newer program, or restore the backup from before the upgrade:
  sauti restore DIR --replace --data ${folder}`
  if (migrations.length === 0)
    return `${program}\n${database}: nothing is to be migrated. An older program of the same schema starts with it too.`
  return `${program}\n${database}. Starting this program migrates it, one transaction a step:
${migrations.map(step => `  ${step}`).join('\n')}
Before it: sauti backup DIR --data ${folder}
Back to the older program: stop, install it, sauti restore DIR --replace --data ${folder}`
}
