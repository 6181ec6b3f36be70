import type { Settings } from '../../core/index.ts'

type Environment = Readonly<Record<string, string | undefined>>

const isSet = (environment: Environment, name: string): boolean => (environment[name] ?? '') !== ''

/**
 * A setting for something that this version does not do, in one sentence; undefined: there is none. Without it recordings would stay
 * on this machine, or two switches would know nothing of one another, and no line would say so.
 */
export function unavailableSetting(
  { databaseUrl }: Pick<Settings, 'databaseUrl'>,
  environment: Environment,
): string | undefined {
  if (databaseUrl !== undefined)
    return 'SAUTI_DATABASE_URL: PostgreSQL is not available yet; leave it out for SQLite in the data folder'
  if (isSet(environment, 'SAUTI_NATS_URL'))
    return 'SAUTI_NATS_URL: several nodes are not available yet; leave it out for a switch of one node'
  const storage = ['SAUTI_S3_URL', 'SAUTI_S3_BUCKET', 'SAUTI_S3_KEY', 'SAUTI_S3_SECRET'].find(name =>
    isSet(environment, name),
  )
  return storage === undefined
    ? undefined
    : `${storage}: recordings in S3 are not available yet; leave it out for recordings in the data folder`
}
