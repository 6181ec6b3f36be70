import { writeFileSync } from 'node:fs'
import { generatedPages } from './docs/pages.ts'

// `npm run docs`: writes the reference pages again. tests/docs.test.ts fails while one of them is stale.
for (const [file, text] of await generatedPages()) {
  writeFileSync(new URL(`../docs/${file}`, import.meta.url), text)
  process.stdout.write(`docs/${file}\n`)
}
