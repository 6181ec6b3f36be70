import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

interface InsideOptions {
  /** User and group inside, by number. Default: root. */
  readonly user?: number
  /** Folder inside where it begins. Default `/`. */
  readonly cwd?: string
  /** The whole environment, beside PATH. */
  readonly env?: Readonly<Record<string, string>>
  /** A network with nothing but loopback. Default: the machine's. */
  readonly ownNetwork?: boolean
}

/**
 * Mounts what every system has, then runs the program inside. The mounts and the processes are in namespaces of their
 * own: the kernel removes both when the first process ends.
 */
const enter = `set -e
root=$1 user=$2 net=$3
shift 3
# Other users than root may enter.
chmod 755 "$root"
mkdir -p "$root/proc" "$root/dev" "$root/tmp"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
[ "$net" = shared ] || ip link set lo up
# Not by exec: a change of user would take away that this shell, and all in its namespace, ends with its parent.
chroot --userspec="$user:$user" --groups= "$root" env -i "$@" || exit $?`

/** A folder that is the root of its programs. Needs root's rights. */
export class OwnRoot {
  readonly path: string

  constructor(path: string = mkdtempSync(join(tmpdir(), 'sauti-root-'))) {
    this.path = path
    mkdirSync(path, { recursive: true })
  }

  /** A path inside, as it is outside. */
  outside(path: string): string {
    return join(this.path, path)
  }

  /** Copies a file of the machine to the same place inside, or to another. */
  bring(file: string, to = file): void {
    if (!existsSync(file)) return
    mkdirSync(dirname(this.outside(to)), { recursive: true })
    copyFileSync(file, this.outside(to))
  }

  spawn(command: readonly string[], options: InsideOptions = {}): ChildProcess {
    return spawn('unshare', this.#argv(command, options), { stdio: ['ignore', 'pipe', 'pipe'] })
  }

  /** Runs it to its end; throws with what it wrote when it fails. */
  run(command: readonly string[], options: InsideOptions = {}): string {
    const { status, stdout, stderr } = spawnSync('unshare', this.#argv(command, options), { encoding: 'utf8' })
    if (status !== 0) throw new Error(`in ${this.path}: ${command.join(' ')}: ${stdout}${stderr}`)
    return stdout
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true })
  }

  #argv(command: readonly string[], { user = 0, cwd = '/', env = {}, ownNetwork = false }: InsideOptions): string[] {
    const variables = Object.entries({ PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...env }).map(each => each.join('='))
    return [
      ...['--mount', '--pid', '--fork', '--kill-child', ...(ownNetwork ? ['--net'] : [])],
      ...['sh', '-c', enter, 'sh', this.path, String(user), ownNetwork ? 'own' : 'shared'],
      ...variables,
      // The shell inside is only there to change the folder.
      ...(cwd === '/' ? command : ['sh', '-c', 'cd "$0" && exec "$@"', cwd, ...command]),
    ]
  }
}
