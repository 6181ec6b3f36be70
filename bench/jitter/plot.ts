/** SVG by hand: legible on light and on dark paper, whichever the reader has. */

const style = `
  .paper { fill: #ffffff } .ink { fill: #1f2328 } .pale { fill: #59636e }
  .rule { stroke: #d1d9e0; stroke-width: 1; fill: none } .axis { stroke: #818b98; stroke-width: 1; fill: none }
  text { font: 13px system-ui, -apple-system, 'Segoe UI', sans-serif }
  .title { font-size: 16px; font-weight: 600 } .small { font-size: 11.5px }
  .c0 { --c: #0072b2 } .c1 { --c: #e69f00 } .c2 { --c: #c14a00 } .c3 { --c: #8f949b }
  .fill { fill: var(--c) } .line { stroke: var(--c); fill: none; stroke-linejoin: round }
  .packet { stroke: #8f949b; stroke-opacity: .75; stroke-width: 2.6; stroke-linecap: round; fill: none }
  .lost { stroke: #cf222e; stroke-width: 1.6; fill: none }
  .whisker { stroke: #1f2328; stroke-width: 1.3; fill: none }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117 } .ink { fill: #e6edf3 } .pale { fill: #9198a1 }
    .rule { stroke: #2a313c } .axis { stroke: #656c76 } .whisker { stroke: #e6edf3 }
    .c0 { --c: #58b2ec } .c1 { --c: #f0b429 } .c2 { --c: #f0743a } .c3 { --c: #868d97 }
    .lost { stroke: #ff7b72 }
  }`

/** A picture of its own size, with a title for those who cannot see it. */
export const picture = (width: number, height: number, title: string, body: readonly string[]): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${title}</title>
<style>${style}
</style>
<rect class="paper" width="${width}" height="${height}" rx="8"/>
${body.join('\n')}
</svg>
`

export const text = (x: number, y: number, words: string, kind = 'ink', anchor = 'start'): string =>
  `<text class="${kind}" x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`

export const rule = (x1: number, y1: number, x2: number, y2: number, kind = 'rule'): string =>
  `<path class="${kind}" d="M${round(x1)} ${round(y1)}L${round(x2)} ${round(y2)}"/>`

export const bar = (x: number, y: number, width: number, height: number, color: number): string =>
  `<rect class="c${color} fill" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(Math.max(0, height))}" rx="1.5"/>`

export const line = (points: readonly (readonly [x: number, y: number])[], color: number, more = ''): string =>
  `<path class="c${color} line" ${more} d="${points.map(([x, y], n) => `${n === 0 ? 'M' : 'L'}${round(x)} ${round(y)}`).join('')}"/>`

/** Many dots, or short strokes of `height`, as one path. */
export const dots = (points: readonly (readonly [x: number, y: number])[], kind: string, height = 0): string =>
  `<path class="${kind}" d="${points.map(([x, y]) => `M${round(x)} ${round(y)}v${height}`).join('')}"/>`

/** Names beside swatches, from `x` on. */
export const legend = (x: number, y: number, names: readonly string[], step = 150): string =>
  names.map((name, n) => `${bar(x + n * step, y - 10, 12, 12, n)}${text(x + n * step + 18, y, name)}`).join('')

export const round = (value: number): string => String(Math.round(value * 10) / 10)

/** A step of 1, 2 or 5 that divides `most` in about `parts`. */
export const niceStep = (most: number, parts: number): number => {
  const rough = most / parts
  const power = 10 ** Math.floor(Math.log10(rough))
  return power * ([1, 2, 5, 10].find(step => step * power >= rough) ?? 10)
}
