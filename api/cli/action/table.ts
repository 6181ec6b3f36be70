/** A column: its heading, and where in a row its value stands (`legs.0.codec`); `*` stands for every entry of a list. */
export type Column = readonly [heading: string, path: string]

/** Rows for people: columns as wide as their longest cell, headings in capitals. */
export function formatTable(rows: readonly unknown[], columns: readonly Column[]): string {
  const cells = rows.map(row => columns.map(([, path]) => cell(valueAt(row, path))))
  const widths = columns.map(([heading], at) => Math.max(heading.length, ...cells.map(row => row[at]!.length)))
  const line = (row: readonly string[]) =>
    row
      .map((text, at) => text.padEnd(widths[at]!))
      .join('  ')
      .trimEnd()
  return [line(columns.map(([heading]) => heading.toUpperCase())), ...cells.map(line)].join('\n')
}

/** One resource for people: a field a line. */
export function formatFields(resource: unknown): string {
  if (typeof resource !== 'object' || resource === null) return cell(resource)
  const entries = Object.entries(resource)
  const width = Math.max(0, ...entries.map(([name]) => name.length))
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}`).join('\n')
}

const valueAt = (row: unknown, path: string): unknown => {
  const [part = '', ...rest] = path.split('.')
  if (part === '*')
    return Array.isArray(row)
      ? row.map(entry => (rest.length === 0 ? entry : valueAt(entry, rest.join('.'))))
      : undefined
  const value = (row as Record<string, unknown> | null | undefined)?.[part]
  return rest.length === 0 ? value : valueAt(value, rest.join('.'))
}

/** What others wrote gives no orders to a terminal (ECMA-48), and breaks no row. */
const cell = (value: unknown): string => written(value).replace(/\p{Cc}/gu, '·')

function written(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value) && value.every(item => item === null || typeof item !== 'object')) {
    return value.length === 0 ? '-' : value.map(item => (item === '' ? '""' : String(item ?? '-'))).join(',')
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
