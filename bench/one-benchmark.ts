import type { BenchOptions, Figure } from './report.ts'

/** What a file `*.bench.ts` exports. */
interface Benchmark {
  /** The long tests run it as well, or it needs what `npm run build` makes: with --short it runs only when it is named. */
  readonly isLongTest?: true
  run(short: boolean, options: BenchOptions): Promise<Figure[]>
  /** More about the last run, for people. */
  table?(): string
}

export interface Order {
  readonly file: string
  readonly isShort: boolean
  readonly options: BenchOptions
}

export interface Outcome {
  readonly figures: readonly Figure[]
  readonly table?: string
}

export async function runBenchmark({ file, isShort, options }: Order): Promise<Outcome> {
  const bench = (await import(new URL(file, import.meta.url).href)) as Benchmark
  if (isShort && bench.isLongTest === true && options.isNamed !== true) return { figures: [] }
  const figures = await bench.run(isShort, options)
  return bench.table === undefined ? { figures } : { figures, table: bench.table() }
}
