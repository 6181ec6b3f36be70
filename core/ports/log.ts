/** Structured log: `fields` must never hold a secret, nor text from the network that was not cut to a sane length. */
export interface Log {
  error(fields: Readonly<Record<string, unknown>>, message: string): void
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  debug(fields: Readonly<Record<string, unknown>>, message: string): void
}
