/** One goal beside what was measured. */
export interface GoalRow {
  readonly what: string
  readonly value: number
  readonly unit: string
  /** At most this; `isLeast`: at least. */
  readonly goal: number
  readonly isLeast?: boolean
  /** What it is held against in the same run. */
  readonly baseline?: { readonly name: string; readonly value: number }
  /** Why the run has no result for this row: the generator fell behind, or a program is not installed. */
  readonly unsound?: string
  /** What repeats this row alone. */
  readonly command: string
}

export const reaches = ({ value, goal, isLeast = false }: GoalRow): boolean => (isLeast ? value >= goal : value <= goal)

export const verdictOf = (row: GoalRow): string =>
  row.unsound !== undefined ? `not measured: ${row.unsound}` : reaches(row) ? 'reached' : 'not reached'

const number = (value: number): string =>
  !Number.isFinite(value) ? '∞' : value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)

const cellsOf = (row: GoalRow): readonly string[] => {
  const { what, value, unit, goal, isLeast = false, baseline, command } = row
  const withUnit = (amount: string) => (unit === '' ? amount : `${amount} ${unit}`)
  return [
    what,
    row.unsound === undefined ? withUnit(number(value)) : '–',
    baseline === undefined ? '–' : `${baseline.name}: ${withUnit(number(baseline.value))}`,
    baseline === undefined || row.unsound !== undefined ? '–' : (value / baseline.value).toFixed(2),
    `${isLeast ? '≥' : '≤'} ${withUnit(String(goal))}`,
    verdictOf(row),
    `\`${command}\``,
  ]
}

export function goalTable(rows: readonly GoalRow[]): string {
  const head = ['what', 'measured', 'beside it, same run', 'ratio', 'goal', 'verdict', 'command']
  return [head, head.map(() => '---'), ...rows.map(cellsOf)].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

/** For a terminal: a row a line, without its command. */
export function goalLines(rows: readonly GoalRow[]): string {
  const cells = [
    ['what', 'measured', 'beside it', 'ratio', 'goal', 'verdict'],
    ...rows.map(row => cellsOf(row).slice(0, -1)),
  ]
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map(row => row[column]!.length)))
  return cells
    .map(row =>
      row
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
