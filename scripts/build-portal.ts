import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { bundlePortal } from '../api/portal/portal-bundle.ts'

// Part of `npm run build`: dist/api/portal/built/, the pages of the portal as the package serves them.

const folder = fileURLToPath(new URL('../dist/api/portal/built/', import.meta.url))
rmSync(folder, { recursive: true, force: true })
for (const [name, bytes] of await bundlePortal()) {
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, bytes)
  process.stdout.write(`portal/${name}: ${bytes.length} bytes, ${brotliCompressSync(bytes).length} as brotli\n`)
}
