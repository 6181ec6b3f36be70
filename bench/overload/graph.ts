import type { RampResult, Step } from './ramp.ts'
import { setUpMs } from './ramp.ts'

const width = 760
const panelHeight = 220
const left = 70
const right = 130
const top = 40
const gap = 60
const height = top + 2 * panelHeight + gap + 50

interface Line {
  readonly name: string
  readonly color: string
  readonly of: (step: Step) => number
}

const rates: readonly Line[] = [
  { name: 'offered', color: '#888888', of: step => step.offered },
  { name: 'answered', color: '#1a7f37', of: step => step.goodput },
  { name: 'refused (503)', color: '#cf222e', of: step => step.refused },
]
const times: readonly Line[] = [
  { name: 'set-up, p50', color: '#54aeff', of: step => step.p50 },
  { name: 'set-up, p99', color: '#0550ae', of: step => step.p99 },
]

/** Calls a second and set-up times over the load, as SVG. */
export function graphOf({ capacity, steps }: RampResult): string {
  const x = (at: number) => left + (at * (width - left - right)) / Math.max(1, steps.length - 1)
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    '<title>Calls a second and set-up times over the load</title>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...panel(steps, x, top, rates, 'calls a second', { at: capacity, name: 'capacity' }),
    ...panel(steps, x, top + panelHeight + gap, times, 'milliseconds', { at: setUpMs, name: 'demanded of p99' }),
    ...steps.map(
      (step, at) => `<text x="${x(at)}" y="${height - 32}" text-anchor="middle" fill="#24292f">${step.times}</text>`,
    ),
    `<text x="${(left + width - right) / 2}" y="${height - 12}" text-anchor="middle" fill="#24292f">load, times the capacity</text>`,
    '</svg>',
  ]
  return `${parts.join('\n')}\n`
}

function panel(
  steps: readonly Step[],
  x: (at: number) => number,
  from: number,
  lines: readonly Line[],
  unit: string,
  bound: { readonly at: number; readonly name: string },
): string[] {
  const most = Math.max(bound.at, ...lines.flatMap(line => steps.map(line.of)))
  const decades = Math.ceil(Math.log10(most))
  const y = (value: number) => from + panelHeight * (1 - Math.log10(Math.max(1, value)) / decades)
  const grid = Array.from({ length: decades + 1 }, (_, power) => 10 ** power)
  const end = width - right
  return [
    `<text x="${left}" y="${from - 12}" fill="#24292f" font-weight="bold">${unit}</text>`,
    ...grid.flatMap(value => [
      `<line x1="${left}" y1="${y(value)}" x2="${end}" y2="${y(value)}" stroke="#eaeef2"/>`,
      `<text x="${left - 8}" y="${y(value) + 4}" text-anchor="end" fill="#57606a">${value}</text>`,
    ]),
    `<line x1="${left}" y1="${y(bound.at)}" x2="${end}" y2="${y(bound.at)}" stroke="#9a6700" stroke-dasharray="5 4"/>`,
    `<text x="${end + 6}" y="${y(bound.at) + 4}" fill="#9a6700">${bound.name}</text>`,
    ...lines.flatMap(({ color, of }) => [
      `<polyline fill="none" stroke="${color}" stroke-width="2" points="${steps.map((step, at) => `${x(at).toFixed(1)},${y(of(step)).toFixed(1)}`).join(' ')}"/>`,
      ...steps.map(
        (step, at) => `<circle cx="${x(at).toFixed(1)}" cy="${y(of(step)).toFixed(1)}" r="3" fill="${color}"/>`,
      ),
    ]),
    ...lines.map(
      ({ name, color }, at) =>
        `<text x="${left + 120 + 130 * at}" y="${from - 12}" fill="${color}" font-weight="bold">${name}</text>`,
    ),
  ]
}
