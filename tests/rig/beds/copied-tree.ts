import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

const root = new URL('../../..', import.meta.url).pathname
const folders = ['api', 'core', 'docs', 'rtp', 'scripts', 'sdk', 'sip']

/** What packages are built of, copied to a new folder, so that the checkout stays without what building leaves. */
export function copyTree(tree: string): string {
  mkdirSync(tree)
  for (const folder of folders)
    cpSync(join(root, folder), join(tree, folder), { recursive: true, filter: path => !path.endsWith('/dist') })
  const files = readdirSync(root, { withFileTypes: true }).filter(
    entry => entry.isFile() && !entry.name.startsWith('.'),
  )
  // With their times: by them the installation of the lock file is found to be the right one.
  for (const { name } of files) cpSync(join(root, name), join(tree, name), { preserveTimestamps: true })
  // Link by link: whatever is done in the copy, the checkout's own folder stays.
  mkdirSync(join(tree, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules')))
    symlinkSync(join(root, 'node_modules', name), join(tree, 'node_modules', name))
  return tree
}
