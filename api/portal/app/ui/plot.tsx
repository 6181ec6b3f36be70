import { useState } from 'preact/hooks'
import { figure } from '../format.ts'
import { useWidth } from './width.ts'

// Plots as SVG: their colours are the page's, and one unit of the drawing is one pixel, so that words keep their size.

export const tones = ['brand', 'bad', 'calm', 'warn'] as const

export interface Series {
  readonly name: string
  readonly tone: (typeof tones)[number]
  readonly values: readonly (number | null)[]
  /** With the space before it. Default: that of the plot. */
  readonly unit?: string
}

const height = 170
const left = 44
const right = 10
const bottom = 24
const top = 10
const leastWidth = 240
/** Of the words below the plot, with the room between them. */
const labelWidth = 92

/** A round number that is not less; of whole things one whose half is whole too, since that stands in the middle. */
function ceilingOf(value: number, ofWhole: boolean): number {
  const least = ofWhole ? 2 : 1
  if (value <= least) return least
  const size = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 4, 6, 8, 10].find(step => step * size >= value) ?? 10) * size
}

/** Values without a neighbour, of which no line can be drawn: a dot stands for each. */
const alone = (all: readonly (number | null)[]): readonly (readonly [index: number, value: number])[] =>
  all.flatMap((value, index) => {
    const hasNone = value !== null && (all[index - 1] ?? null) === null && (all[index + 1] ?? null) === null
    return hasNone ? [[index, value] as const] : []
  })

/** Where the words below stand: at the newest place, and evenly back from there. */
function labelled(places: number, width: number): readonly number[] {
  const step = Math.max(1, Math.ceil((places * labelWidth) / width))
  const count = Math.ceil(places / step)
  return Array.from({ length: count }, (_, turn) => places - 1 - turn * step)
}

const lastOf = (values: readonly (number | null)[]): number | null => values.findLast(value => value !== null) ?? null
const shownValue = (value: number | null | undefined): string => (value == null ? '–' : figure(value))

export function Plot({
  label,
  series,
  at,
  kind = 'line',
  unit = '',
  most,
  least = 0,
}: {
  readonly label: string
  readonly series: readonly Series[]
  /** What each place is called, as a time. */
  readonly at: readonly string[]
  readonly kind?: 'line' | 'bars'
  readonly unit?: string
  readonly most?: number
  /** At the bottom; lower values are drawn there. */
  readonly least?: number
}) {
  const [shown, show] = useState<number | undefined>(undefined)
  const [it, width] = useWidth<HTMLElement>(leastWidth)
  const values =
    kind === 'bars'
      ? at.map((_, place) => series.reduce((sum, each) => sum + (each.values[place] ?? 0), 0))
      : series.flatMap(each => each.values.filter(value => value !== null))
  const highest = most ?? ceilingOf(Math.max(0, ...values), values.every(Number.isInteger))
  const places = at.length
  const inner = width - left - right
  const x = (index: number) =>
    left + (kind === 'bars' ? ((index + 0.5) / places) * inner : (index / Math.max(1, places - 1)) * inner)
  const y = (value: number) =>
    top + (height - top - bottom) * (1 - Math.min(1, Math.max(0, (value - least) / (highest - least))))
  const ticks = [0, 0.5, 1].map(part => least + part * (highest - least))
  const said = series
    .map(({ name, values: all, unit: own = unit }) => `${name} ${shownValue(lastOf(all))}${own}`)
    .join(', ')
  const point = (event: PointerEvent & { currentTarget: SVGSVGElement }) => {
    const box = event.currentTarget.getBoundingClientRect()
    const part = (((event.clientX - box.left) / box.width) * width - left) / inner
    const index = kind === 'bars' ? Math.floor(part * places) : Math.round(part * (places - 1))
    show(index >= 0 && index < places ? index : undefined)
  }
  const pathOf = (all: readonly (number | null)[]) =>
    all
      .map((value, index) =>
        value === null
          ? ''
          : `${index === 0 || all[index - 1] === null ? 'M' : 'L'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`,
      )
      .join('')
  return (
    <figure class="plot" ref={it}>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`${label}: ${said}`}
        onPointerMove={point}
        onPointerLeave={() => show(undefined)}
      >
        {ticks.map(tick => (
          <g key={tick}>
            <line class="grid" x1={left} x2={width - right} y1={y(tick)} y2={y(tick)} />
            <text class="tick" x={left - 8} y={y(tick) + 4} text-anchor="end">
              {tick >= 1000 ? `${tick / 1000}k` : tick}
            </text>
          </g>
        ))}
        {labelled(places, inner).map(index => (
          <text
            key={index}
            class="tick"
            x={index === places - 1 ? width - right : x(index)}
            y={height - 5}
            text-anchor={index === places - 1 ? 'end' : index === 0 && kind === 'line' ? 'start' : 'middle'}
          >
            {at[index]}
          </text>
        ))}
        {kind === 'line'
          ? series.map(({ name, tone, values: all }) => (
              <g key={name} class={tone}>
                <path class="stroke" d={pathOf(all)} />
                {alone(all).map(([index, value]) => (
                  <circle key={index} class="fill" cx={x(index)} cy={y(value)} r={2.5} />
                ))}
              </g>
            ))
          : at.map((_, index) => {
              let base = 0
              const wide = Math.max(1.5, (inner / places) * 0.7)
              return series.map(({ name, tone, values: all }) => {
                const value = all[index] ?? 0
                const from = y(base + value)
                const tall = y(base) - from
                base += value
                return value === 0 ? null : (
                  <rect
                    key={name}
                    class={`fill ${tone}`}
                    x={x(index) - wide / 2}
                    y={from}
                    width={wide}
                    height={tall}
                    rx={1.5}
                  />
                )
              })
            })}
        {shown !== undefined && <line class="cursor" x1={x(shown)} x2={x(shown)} y1={top} y2={height - bottom} />}
      </svg>
      <figcaption>
        {series.map(({ name, tone, values: all, unit: own = unit }) => (
          <span key={name}>
            <i class={`dot ${tone}`} />
            {name} <b>{shownValue(shown === undefined ? lastOf(all) : all[shown])}</b>
            {own}
          </span>
        ))}
        {shown !== undefined && <span class="soft">{at[shown]}</span>}
      </figcaption>
    </figure>
  )
}
