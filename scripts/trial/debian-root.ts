import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import type { OwnRoot } from './own-root.ts'

/** What a minimal Debian lacks for a checkout: CONTRIBUTING.md names the same. */
const included = ['ca-certificates', 'git', 'libatomic1']
const [lists, keyring] = ['/etc/apt', '/usr/share/keyrings/debian-archive-keyring.gpg']

interface Source {
  readonly address: string
  readonly suite: string
}

/** Where the machine has its Debian packages from. */
function aptSource(): Source {
  const folder = join(lists, 'sources.list.d')
  const files = [
    join(lists, 'sources.list'),
    ...(existsSync(folder) ? readdirSync(folder).sort() : []).map(name => join(folder, name)),
  ]
  for (const file of files.filter(existsSync)) {
    const text = readFileSync(file, 'utf8')
    const line = /^deb +(?:\[[^\]]*\] +)?(\S+) +(\S+) +main/m.exec(text)
    if (line !== null) return { address: line[1]!, suite: line[2]! }
    const [address, suite] = [/^URIs: *(\S+)/m.exec(text)?.[1], /^Suites: *(\S+)/m.exec(text)?.[1]]
    if (address !== undefined && suite !== undefined) return { address, suite }
  }
  throw new Error(`no Debian source in ${lists}: debootstrap has nowhere to take packages from`)
}

/**
 * Fills the folder with a minimal Debian. `archive` names a tar file to keep it in: when it is there, nothing is fetched.
 * Says what it did.
 */
export function fillWithDebian(root: OwnRoot, archive: string | undefined): string {
  if (archive !== undefined && existsSync(archive)) {
    execFileSync('tar', ['-xf', archive, '-C', root.path], { stdio: 'inherit' })
    return `unpacked ${archive}`
  }
  const { address, suite } = aptSource()
  const trust = existsSync(keyring) ? [`--keyring=${keyring}`] : []
  const options = ['--variant=minbase', `--include=${included.join(',')}`, ...trust]
  execFileSync('debootstrap', [...options, suite, root.path, address], { stdio: ['ignore', 'ignore', 'inherit'] })
  if (archive !== undefined) execFileSync('tar', ['-cf', archive, '-C', root.path, '.'])
  return `debootstrap ${suite}`
}

/** The machine's own node and npm, and nothing else of its Node: no cache, no global package, no settings. */
export function bringNode(root: OwnRoot): void {
  const npm = dirname(dirname(realpathSync(programOf('npm'))))
  root.bring(realpathSync(programOf('node')), '/usr/bin/node')
  chmodSync(root.outside('/usr/bin/node'), 0o755)
  mkdirSync(root.outside('/usr/lib/node_modules'), { recursive: true })
  cpSync(npm, root.outside('/usr/lib/node_modules/npm'), { recursive: true })
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, root.outside(`/usr/bin/${name}`))
}

/** Names are resolved, and servers trusted, as on the machine. Gives the variables that the programs inside need for it. */
export function bringNetwork(root: OwnRoot): Record<string, string> {
  for (const file of ['/etc/resolv.conf', '/etc/hosts']) root.bring(file)
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env))
    if (/^((https?|no)_proxy|npm_config_registry)$/i.test(name) && value !== undefined) env[name] = value
  const authority = process.env.NODE_EXTRA_CA_CERTS
  if (authority === undefined) return env
  root.bring(authority, '/etc/ssl/extra-authorities.pem')
  return { ...env, NODE_EXTRA_CA_CERTS: '/etc/ssl/extra-authorities.pem' }
}

/** Of the machine, not of this checkout. */
function programOf(name: string): string {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(folder => !folder.includes('node_modules'))
  const found = folders.map(folder => join(folder, name)).find(existsSync)
  if (found === undefined) throw new Error(`the machine has no ${name} in its PATH`)
  return found
}
