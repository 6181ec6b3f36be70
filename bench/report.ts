/** One measured value beside what it is held against, both from the same run. */
export interface Figure {
  readonly what: string
  readonly value: number
  readonly unit: string
  readonly baseline: number
  /** What the baseline is. */
  readonly of: string
  /** value / baseline. */
  readonly ratio: number
}

/** What a benchmark may be asked for beyond its usual; each takes what it knows. */
export interface BenchOptions {
  readonly minutes?: number
  readonly calls?: number
  readonly kills?: number
  /** It was asked for by name, not along with all others. */
  readonly isNamed?: boolean
}

export const ratioOf = (figure: { value: number; baseline: number }): number => figure.value / figure.baseline

/** Held against what is demanded; where that is nothing at all there is no ratio. */
export const figureOf = (what: string, value: number, unit: string, baseline: number, of: string): Figure => {
  const ratio = baseline === 0 ? 0 : ratioOf({ value, baseline })
  return { what, value, unit, baseline, of, ratio }
}

const number = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(2))

/** A table for people. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = [
    ['what', 'value', 'baseline', 'ratio', 'baseline is'],
    ...figures.map(it => [
      it.what,
      `${number(it.value)} ${it.unit}`,
      `${number(it.baseline)} ${it.unit}`,
      it.ratio.toFixed(2),
      it.of,
    ]),
  ]
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(row => row[column]!.length)))
  return rows
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
