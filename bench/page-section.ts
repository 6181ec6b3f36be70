import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'

const page = new URL('../docs/performance.md', import.meta.url)

/** What every section of figures begins with. */
export const machine = `Node ${process.version}, ${cpus()[0]?.model ?? 'unknown processor'}`

/** What a text has between its marks `<!-- name: … -->` and `<!-- /name -->` is replaced. */
export function withSection(text: string, name: string, section: string): string {
  const [begin, end] = [new RegExp(`<!-- ${name}: [^\n]* -->\n`), `<!-- /${name} -->`]
  const begun = begin.exec(text)
  const from = begun === null ? -1 : begun.index + begun[0].length
  const to = text.indexOf(end, from)
  if (from === -1 || to === -1) throw new Error(`docs/performance.md has no section ${name}`)
  return `${text.slice(0, from)}${section}\n${text.slice(to)}`
}

/** The section of docs/performance.md that a benchmark writes. */
export function writeSection(name: string, section: string): void {
  writeFileSync(page, withSection(readFileSync(page, 'utf8'), name, section))
}
