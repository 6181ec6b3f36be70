import { readFileSync } from 'node:fs'
import { figureOf } from './import-graph.ts'

/** docs/architecture.md with its drawings of the floors as the imports have them; the rest is written by hand. */
export const architecturePage = (): string =>
  ['sip', 'rtp', 'core'].reduce(
    (page, part) =>
      page.replace(new RegExp(`(\\n### ${part}\\n\\n\`\`\`\\n)[^\`]*?(\\n\`\`\`\\n)`), `$1${figureOf(part)}$2`),
    readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8'),
  )
