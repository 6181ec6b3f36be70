import { useState } from 'preact/hooks'

// Plots as SVG: their colours are the page's, they scale with it, and their numbers can be read as text.

export interface Series {
  readonly name: string
  readonly tone: 'brand' | 'bad' | 'calm' | 'warn'
  readonly values: readonly (number | null)[]
}

const height = 150
const left = 40
const bottom = 20
const top = 8
const leastWidth = 300

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

export function Plot({
  label,
  series,
  at,
  kind = 'line',
  unit = '',
  most,
  least = 0,
  width: whole = 600,
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
  /** Of the drawing, in its own units: more for a plot that lies across a page. */
  readonly width?: number
}) {
  const [shown, show] = useState<number | undefined>(undefined)
  // On a narrow screen the drawing is narrow too, so that its words keep their size.
  const width = Math.min(whole, Math.max(leastWidth, innerWidth - 60))
  const values =
    kind === 'bars'
      ? at.map((_, place) => series.reduce((sum, each) => sum + (each.values[place] ?? 0), 0))
      : series.flatMap(each => each.values.filter(value => value !== null))
  const top1 = most ?? ceilingOf(Math.max(0, ...values), kind === 'bars')
  const places = at.length
  const inner = width - left - 8
  const x = (index: number) =>
    left + (kind === 'bars' ? ((index + 0.5) / places) * inner : (index / Math.max(1, places - 1)) * inner)
  const y = (value: number) =>
    top + (height - top - bottom) * (1 - Math.min(1, Math.max(0, (value - least) / (top1 - least))))
  const ticks = [0, 0.5, 1].map(part => least + part * (top1 - least))
  const last = series.map(({ name, values: all }) => `${name} ${all.at(-1) ?? 0}${unit}`).join(', ')
  const hover = (event: MouseEvent & { currentTarget: SVGSVGElement }) => {
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
    <figure class="plot">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`${label}: ${last}`}
        onMouseMove={hover}
        onMouseLeave={() => show(undefined)}
      >
        {ticks.map(tick => (
          <g key={tick}>
            <line class="grid" x1={left} x2={width - 8} y1={y(tick)} y2={y(tick)} />
            <text class="tick" x={left - 6} y={y(tick) + 3} text-anchor="end">
              {tick >= 1000 ? `${tick / 1000}k` : tick}
            </text>
          </g>
        ))}
        {[0, Math.floor(places / 2), places - 1]
          .filter((index, place, all) => index >= 0 && all.indexOf(index) === place)
          .map(index => (
            <text
              key={index}
              class="tick"
              x={x(index)}
              y={height - 5}
              text-anchor={index === 0 ? 'start' : index === places - 1 ? 'end' : 'middle'}
            >
              {at[index]}
            </text>
          ))}
        {kind === 'line'
          ? series.map(({ name, tone, values: all }) => (
              <g key={name}>
                <path class={`stroke ${tone}`} d={pathOf(all)} />
                {alone(all).map(([index, value]) => (
                  <circle key={index} class={`fill ${tone}`} cx={x(index)} cy={y(value)} r={2.5} />
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
        {series.map(({ name, tone, values: all }) => (
          <span key={name}>
            <i class={`dot ${tone}`} />
            {name} <b>{(shown === undefined ? all.at(-1) : all[shown]) ?? 0}</b>
            {unit}
          </span>
        ))}
        {shown !== undefined && <span class="soft">{at[shown]}</span>}
      </figcaption>
    </figure>
  )
}
