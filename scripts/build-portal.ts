import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { bundlePortal } from '../api/portal/portal-bundle.ts'

// Part of `npm run build`: dist/api/portal/built/, the pages of the portal as the package serves them, each beside what brotli
// makes of it at its best: that takes seconds, which the first visitor would wait for. gzip takes none.

const folder = fileURLToPath(new URL('../dist/api/portal/built/', import.meta.url))
rmSync(folder, { recursive: true, force: true })
for (const [name, bytes] of await bundlePortal()) {
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  const brotli = brotliCompressSync(bytes)
  writeFileSync(file, bytes)
  writeFileSync(`${file}.br`, brotli)
  process.stdout.write(`portal/${name}: ${bytes.length} bytes, ${brotli.length} as brotli\n`)
}
