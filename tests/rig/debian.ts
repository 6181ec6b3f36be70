import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The real peers of the interop tests: program → Debian package. */
const packages = {
  sipp: 'sip-tester',
  baresip: 'baresip',
  'espeak-ng': 'espeak-ng',
  sox: 'sox',
  ffmpeg: 'ffmpeg',
  opusinfo: 'opus-tools',
  chromium: 'chromium',
  python3: 'python3',
  curl: 'curl',
  openssl: 'openssl',
  turnserver: 'coturn',
  tcpdump: 'tcpdump',
  ip: 'iproute2',
} as const
export type Peer = keyof typeof packages

export function programPath(name: string): string | undefined {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name)
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {}
  }
  return undefined
}

/** Installs the programs that are missing (root on Debian), or throws naming the packages that are wanted. Nothing is skipped. */
export function requirePeers(...peers: readonly Peer[]): void {
  install(() => peers.filter(peer => programPath(peer) === undefined).map(peer => packages[peer]))
}

/** The same for packages that hold files: package → one of them. */
export function requireFiles(files: Readonly<Record<string, string>>): void {
  install(() => Object.keys(files).filter(name => !existsSync(files[name]!)))
}

/** `missing`: the packages that are, still. */
function install(missing: () => readonly string[]): void {
  const wanted = missing()
  if (wanted.length === 0) return
  const isRoot = process.getuid?.() === 0
  if (isRoot && programPath('apt-get') !== undefined) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    const run = () =>
      spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...wanted], { env, encoding: 'utf8' })
    if (run().status !== 0) {
      spawnSync('apt-get', ['update', '-qq'], { env })
      const second = run()
      if (second.status !== 0) process.stderr.write(second.stderr)
    }
  }
  const still = missing()
  if (still.length > 0)
    throw new Error(`these Debian packages are wanted: ${still.join(' ')} (apt-get install ${still.join(' ')})`)
}
