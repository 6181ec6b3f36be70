import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundleSdk } from '../api/phone/sdk-bundle.ts'
import { bundlePortal } from '../api/portal/portal-bundle.ts'
import { bundleProgram } from './bundle-program.ts'

/**
 * The program in few files, as the package has it, with what it serves: a start takes half of the processor time that
 * the sources take, and this is what people install. Returns the file that Node runs; everything is removed when this process ends.
 */
export async function compiledProgram(root: string): Promise<string> {
  const cache = join(root, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const base = mkdtempSync(join(cache, 'program-'))
  process.once('exit', () => rmSync(base, { recursive: true, force: true }))
  const write = (file: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(base, file)), { recursive: true })
    writeFileSync(join(base, file), content)
  }
  // The program reads its version two folders above.
  cpSync(join(root, 'package.json'), join(base, 'package.json'))
  for (const served of ['explorer', 'phone'])
    cpSync(join(root, 'api', served), join(base, 'api', served), { recursive: true })
  const [portal, sdk] = await Promise.all([bundlePortal(), bundleSdk(), bundleProgram(root, join(base, 'api/program'))])
  for (const [name, bytes] of portal) write(`api/portal/built/${name}`, bytes)
  write('sdk/dist/sauti-phone.js', sdk.code)
  return join(base, 'api/program/main.js')
}
