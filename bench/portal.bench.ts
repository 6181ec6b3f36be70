import { SpeedWitness } from './core-speed.ts'
import { machine, writeSection } from './page-section.ts'
import { measurePortal, type PortalFigures } from './portal/portal-load.ts'
import { type BenchOptions, type Figure, figureOf } from './report.ts'
import { useBuiltProgram } from './served-program.ts'

// Question: what does the portal cost, in the browser and on the switch, with 100,000 calls stored, 50 live and 20 new ones a
// second? Chromium, one tab, a served switch of the built package.

/** Minutes of load: with --short it runs only when it is named. */
export const isLongTest = true

let last: PortalFigures | undefined
let speed = ''

const rowsOf = ({ opens, firstMs, plots, scriptKb, switchPercents, pagingMs }: PortalFigures): readonly Figure[] => [
  figureOf('opens: home, the first request of a switch just started', firstMs, 'ms', 300, 'demanded'),
  ...opens.flatMap(({ name, ms, p99Ms }) => [
    figureOf(`opens: ${name}, p50`, ms, 'ms', 300, 'demanded'),
    figureOf(`opens: ${name}, p99`, p99Ms, 'ms', 300, 'demanded'),
  ]),
  figureOf('the next page of 100,000 calls', pagingMs, 'ms', 300, 'demanded'),
  ...plots.map(({ name, percent }) => figureOf(`browser, live: ${name}`, percent, '% of a core', 10, 'demanded')),
  figureOf('first JavaScript, compressed, without the editor', scriptKb, 'kB', 120, 'demanded'),
  ...switchPercents.map(({ name, percent }) =>
    figureOf(`switch, for one open page: ${name}`, percent, '% of a core', 1, 'demanded'),
  ),
]

export const table = (): string => (last === undefined ? '' : `${tableOf(last)}\n${speed}`)

export async function run(short: boolean, options: BenchOptions = {}): Promise<Figure[]> {
  useBuiltProgram()
  const seconds = short ? 10 : Math.round(60 * (options.minutes ?? 1))
  const witness = new SpeedWitness()
  witness.look()
  last = await measurePortal({
    seconds,
    rounds: short ? 3 : 11,
    onProgress: line => process.stderr.write(`${line}\n`),
  })
  witness.look()
  speed = witness.sentence
  if (!short && options.isNamed === true) writePage(last, seconds)
  return [...rowsOf(last)]
}

const tableOf = (figures: PortalFigures): string =>
  [
    '| what | measured | demanded at most |',
    '|---|---|---|',
    ...rowsOf(figures).map(
      ({ what, value, unit, baseline }) =>
        `| ${what} | ${value >= 100 ? value.toFixed(0) : value.toFixed(1)} ${unit} | ${baseline} ${unit} |`,
    ),
  ].join('\n')

function writePage(figures: PortalFigures, seconds: number): void {
  const head = `Of eleven openings a page the p99 is the slowest; ${seconds} s of watching a live page (${machine}, Chromium ${figures.browser}). ${speed}`
  writeSection('portal', `${head}\n\n${tableOf(figures)}`)
}
