import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isRoot, mayMakeNetworks, type Peer, packagesFor, peers, programPath } from '../../tests/rig/beds/debian.ts'

const root = new URL('../../', import.meta.url).pathname
/** Time to wait for another program that installs at the same moment. */
const lockSeconds = 600

/** What a test file needs beside this checkout. */
interface Needs {
  readonly peers: ReadonlySet<Peer>
  readonly makesNetworks: boolean
}

/** Test files that run here, and a line for each kind of those that do not. */
interface Selection {
  readonly files: readonly string[]
  readonly leftOut: readonly string[]
}

/** Installs what the files need and this machine lacks, where it may, and leaves out the files that still lack something. */
export function preparePeers(files: readonly string[]): Selection {
  const needs = new Map(files.map(file => [file, needsOf(file)]))
  const wanted = new Set([...needs.values()].flatMap(each => [...each.peers]))
  const missing = packagesFor(wanted)
  if (missing.length > 0 && isRoot() && programPath('apt-get') !== undefined) installPackages(missing)

  const lackPeers: string[] = []
  const lackNetworks: string[] = []
  for (const [file, { peers: each, makesNetworks }] of needs) {
    if (packagesFor(each).length > 0) lackPeers.push(file)
    else if (makesNetworks && !mayMakeNetworks()) lackNetworks.push(file)
  }
  const still = packagesFor(wanted).join(' ')
  const leftOut = [
    lackPeers.length > 0 &&
      `${lackPeers.length} of ${files.length} files left out: their real peers are missing; as root on Debian: apt-get install ${still}`,
    lackNetworks.length > 0 &&
      `${lackNetworks.length} of ${files.length} files left out: they make networks of their own, which needs root (${lackNetworks.join(', ')})`,
  ].filter(line => line !== false)
  return { files: files.filter(file => !lackPeers.includes(file) && !lackNetworks.includes(file)), leftOut }
}

/** One after another with whatever else installs on this machine; what it does is seen. */
function installPackages(names: readonly string[]): void {
  process.stdout.write(`Installing Debian packages for the tests with real peers (once): ${names.join(' ')}\n`)
  const apt = (...args: readonly string[]) =>
    spawnSync('apt-get', ['-y', '-q', '-o', `DPkg::Lock::Timeout=${lockSeconds}`, ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 2, 2],
    }).status === 0
  const install = () => apt('install', '--no-install-recommends', ...names)
  // The lists of packages may be missing, or older than what the archive still has.
  if (install() || (apt('update') && install())) return
  // One that this archive does not have must not keep out the others.
  for (const name of names) apt('install', '--no-install-recommends', name)
}

const seen = new Map<string, Needs>()

/** Reads the calls of `requirePeers` and `requireNetworks` in a file, and in all of tests/ that it imports. */
export function needsOf(file: string): Needs {
  const known = seen.get(file)
  if (known !== undefined) return known
  const source = readFileSync(root + file, 'utf8')
  const own = [...source.matchAll(/\brequirePeers\(([^)]*)\)/g)]
    .flatMap(call => [...(call[1] ?? '').matchAll(/'([^']+)'/g)].map(name => name[1]))
    .filter(name => name !== undefined && name in peers) as Peer[]
  const isDefinition = file === 'tests/rig/beds/debian.ts'
  // Before its imports, for two that import each other.
  seen.set(file, { peers: new Set(own), makesNetworks: false })
  const imported = [...source.matchAll(/(?:\bfrom|\bimport|\bnew URL\() ?'(\.{1,2}\/[^']+\.ts)'/g)]
    .map(match => resolve(root, dirname(file), match[1] ?? '').slice(root.length))
    .filter(path => path.startsWith('tests/') && existsSync(root + path))
    .map(needsOf)
  const needs: Needs = {
    peers: new Set([...own, ...imported.flatMap(each => [...each.peers])]),
    makesNetworks: (!isDefinition && /\brequireNetworks\(\)/.test(source)) || imported.some(each => each.makesNetworks),
  }
  seen.set(file, needs)
  return needs
}
