/** First line of every page that `npm run docs` writes. */
export const generated = '<!-- Written by `npm run docs` from the code: change the code, not this page. -->'

export const code = (text: string): string => `\`${text}\``

/** A table; cells are kept on one line, and their bars escaped. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(heads), `|${heads.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}

const cell = (text: string): string => text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim()

/** Where a heading is found on its page, as GitHub makes it. */
export const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

/** Parts of a page with an empty line between them. */
export const page = (...parts: readonly string[]): string => `${parts.filter(part => part !== '').join('\n\n')}\n`
