/**
 * Files of tests/long that run for three quarters of a minute and more, the longest first. One that began last would keep
 * the others' processors idle until its end.
 */
export const longest: readonly string[] = [
  'soak-calls',
  'portal-accessibility',
  'audit-load',
  'audit-callers',
  'trace-ends',
  'pages-accessibility',
  'kills',
  'audit-api',
  'audit-tenants',
  'audit-media',
  'phone-line',
  'say-engines',
  'backup',
].map(name => `tests/long/${name}.test.ts`)

/** `files` as they are, but those of `longest` before all others. */
export function longestFirst(files: readonly string[]): readonly string[] {
  return [...longest.filter(file => files.includes(file)), ...files.filter(file => !longest.includes(file))]
}
