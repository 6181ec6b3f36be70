import { contenders, type Results, type Row } from './measure.ts'
import { bar, dots, legend, line, niceStep, picture, rule, text } from './plot.ts'

const allNames = contenders.map(one => one.name)
const codecNames = { PCMU: 'G.711', opus: 'Opus' } as const

const width = 960
const left = 64
const right = 24

/** Age of the played audio over time, above the packets as they came. */
export function delayPicture({ rows, seconds }: Results): string {
  const shown = rows.filter(row => row.codec === 'PCMU' && row.trace.isPlotted)
  const panelHeight = 190
  const top = 92
  const height = top + shown.length * (panelHeight + 62) + 8
  const body = [
    text(left, 30, 'Added delay over time', 'ink title'),
    text(
      left,
      50,
      'beyond the network’s fastest way, of G.711; each grey dot is a packet at its own delay',
      'pale small',
    ),
    legend(left, 76, allNames.slice(0, 3)),
    dots(
      [455, 461, 467].map((x, n) => [left + x, 73 - 3 * (n % 2)]),
      'packet',
    ),
    text(left + 476, 76, 'packet'),
    dots([[left + 560, 66]], 'lost', 10),
    text(left + 570, 76, 'lost'),
  ]
  shown.forEach((row, n) => {
    body.push(...delayPanel(row, seconds, top + 26 + n * (panelHeight + 62), panelHeight))
  })
  return picture(width, height, 'Added delay over time, by network', body)
}

function delayPanel({ trace, measured, packets }: Row, seconds: number, top: number, height: number): string[] {
  const ways = Array.from({ length: packets }, (_, n) => trace.arrivalMs[n]! - trace.sentMs[n]! - trace.baseMs)
  const seen = [
    ...ways.filter(Number.isFinite),
    ...measured.slice(0, 3).flatMap(one => one.outcome.delays.map(it => it.delayMs)),
  ]
  const step = niceStep(Math.max(150, ...seen), 4)
  const most = Math.ceil(Math.max(150, ...seen) / step) * step
  const x = (ms: number) => left + ((width - left - right) * ms) / (seconds * 1000)
  const y = (ms: number) => top + height * (1 - Math.max(0, ms) / most)
  const out = [text(left, top - 10, trace.name, 'ink'), text(left + 60, top - 10, trace.about, 'pale small')]
  for (let ms = 0; ms <= most; ms += step) {
    out.push(rule(left, y(ms), width - right, y(ms), ms === 0 ? 'axis' : 'rule'))
    out.push(text(left - 8, y(ms) + 4, `${ms} ms`, 'pale small', 'end'))
  }
  const secondStep = niceStep(seconds, 6)
  for (let at = 0; at <= seconds; at += secondStep) {
    out.push(
      text(
        x(at * 1000),
        top + height + 18,
        `${at} s`,
        'pale small',
        at === 0 ? 'start' : at === seconds ? 'end' : 'middle',
      ),
    )
  }
  const points = ways.map((way, n) => [x(trace.sentMs[n]!), y(way)] as const)
  out.push(
    dots(
      points.filter((_, n) => Number.isFinite(ways[n])),
      'packet',
    ),
  )
  const lost = ways.flatMap((way, n) => (Number.isFinite(way) ? [] : [[x(trace.sentMs[n]!), top + 2] as const]))
  if (lost.length > 0) out.push(dots(lost, 'lost', 8))
  for (const color of [2, 1, 0]) {
    const delays = measured[color]!.outcome.delays
    const path = delays
      .filter((one, n) => one.atMs <= seconds * 1000 && isTelling(delays, n))
      .map(one => [x(one.atMs), y(one.delayMs)] as const)
    out.push(line(path, color, color === 0 ? 'stroke-width="2.4"' : 'stroke-width="1.8" stroke-dasharray="7 4"'))
  }
  return out
}

/** A point that a line needs: where it bends, and one now and then. */
const isTelling = (delays: readonly { readonly delayMs: number }[], n: number): boolean => {
  const { delayMs } = delays[n]!
  const before = delays[n - 1]?.delayMs ?? delayMs
  const after = delays[n + 1]?.delayMs ?? delayMs
  return n % 25 === 0 || Math.abs(delayMs - before) > 0.4 || Math.abs(after - delayMs) > 0.4
}

interface BarChart {
  readonly title: string
  readonly about: string
  readonly unit: string
  /** How many of the contenders are shown. */
  readonly shown: number
  readonly valueOf: (row: Row, contender: number) => number
  /** To where a whisker reaches. */
  readonly reachOf?: (row: Row, contender: number) => number
}

/** Bars by network and contender, a panel a codec. */
function barPicture({ rows }: Results, chart: BarChart): string {
  const names = allNames.slice(0, chart.shown)
  const panelHeight = 210
  const top = 92
  const step = panelHeight + 84
  const body = [
    text(left, 30, chart.title, 'ink title'),
    text(left, 50, chart.about, 'pale small'),
    legend(left, 76, names),
  ]
  const codecs = (['PCMU', 'opus'] as const).filter(codec => rows.some(row => row.codec === codec))
  codecs.forEach((codec, n) => {
    const shown = rows.filter(row => row.codec === codec)
    const panelTop = top + 34 + n * step
    body.push(text(left, panelTop - 14, codecNames[codec], 'ink'))
    const highest = Math.max(...rows.flatMap(row => names.map((_, at) => (chart.reachOf ?? chart.valueOf)(row, at))))
    const by = niceStep(highest, 5)
    const most = Math.ceil(highest / by) * by
    const y = (value: number) => panelTop + panelHeight * (1 - value / most)
    for (let value = 0; value <= most; value += by) {
      body.push(rule(left, y(value), width - right, y(value), value === 0 ? 'axis' : 'rule'))
      body.push(text(left - 8, y(value) + 4, `${value}${chart.unit}`, 'pale small', 'end'))
    }
    const group = (width - left - right) / shown.length
    shown.forEach((row, at) => {
      const each = (group - 26) / names.length
      names.forEach((_, contender) => {
        const x = left + at * group + 13 + contender * each
        const value = chart.valueOf(row, contender)
        body.push(bar(x + 1.5, y(value), each - 3, y(0) - y(value), contender))
        const reach = chart.reachOf?.(row, contender)
        const middle = x + each / 2
        if (reach !== undefined && reach > value + 2) {
          body.push(
            rule(middle, y(value), middle, y(reach), 'whisker'),
            rule(middle - 4, y(reach), middle + 4, y(reach), 'whisker'),
          )
        }
      })
      body.push(text(left + (at + 0.5) * group, y(0) + 19, row.trace.name, 'ink', 'middle'))
    })
  })
  return picture(width, top + codecs.length * step + 6, chart.title, body)
}

export const scorePicture = (results: Results): string =>
  barPicture(results, {
    title: 'What is missing from the sound',
    about: 'points short of 100, where 100 is every packet in its place: shorter bars are better',
    unit: '',
    shown: 4,
    valueOf: (row, contender) => Math.max(0, 100 - row.measured[contender]!.score),
  })

export const delayBarPicture = (results: Results): string =>
  barPicture(results, {
    title: 'Added delay',
    about: 'beyond the network’s fastest way: bars are means, whiskers reach to the 95th percentile; shorter is better',
    unit: ' ms',
    shown: 3,
    valueOf: (row, contender) => Math.max(0, row.measured[contender]!.meanMs),
    reachOf: (row, contender) => row.measured[contender]!.p95Ms,
  })
