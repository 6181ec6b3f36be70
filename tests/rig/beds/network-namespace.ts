import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import koffi from 'koffi'
import { until } from '../probes/wait.ts'

const newNetwork = 0x40000000

function run(command: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`)
  return stdout
}

/** Starts a program that is killed when this process ends, however that comes. */
export const mortal = (command: string, ...args: readonly string[]): ChildProcess =>
  spawn('setpriv', ['--pdeathsig', 'KILL', command, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })

/**
 * From now on this process and its children have a network of their own, with nothing but loopback in it. It needs no name
 * and no tidying: the kernel takes it back when the last of them has ended, however that came. Needs root.
 */
export function enterOwnNetwork(): void {
  const unshare = koffi.load(null).func('unshare', 'int', ['int'])
  if (unshare(newNetwork) !== 0)
    throw new Error(`a network of its own is not to be had: errno ${koffi.errno()} (root?)`)
  run('ip', ['link', 'set', 'lo', 'up'])
}

/** A host beside this one: a network that lives as long as the process that holds it, which ends with this one. */
export class NetworkNamespace {
  readonly #holder: ChildProcess
  readonly #folder = mkdtempSync(join(tmpdir(), 'sauti-network-'))

  private constructor(holder: ChildProcess) {
    this.#holder = holder
  }

  static async open(): Promise<NetworkNamespace> {
    // `cat` reads a pipe of ours: when this process dies, so does it.
    const holder = spawn('unshare', ['--net', 'cat'], { stdio: ['pipe', 'ignore', 'inherit'] })
    const made = new NetworkNamespace(holder)
    const own = readlinkSync('/proc/self/ns/net')
    const networkOf = () => {
      try {
        return readlinkSync(`/proc/${holder.pid}/ns/net`)
      } catch {
        return own
      }
    }
    await until('a network of its own', () => networkOf() !== own)
    made.run('ip', 'link', 'set', 'lo', 'up')
    return made
  }

  get pid(): number {
    return this.#holder.pid ?? 0
  }

  /** Runs a program in it to its end. */
  run(command: string, ...args: readonly string[]): string {
    return run('nsenter', [...this.#entry, command, ...args])
  }

  /** Starts a program in it. */
  spawn(command: string, ...args: readonly string[]): ChildProcess {
    return mortal('nsenter', ...this.#entry, command, ...args)
  }

  /** A script that runs `program` in it: for who wants a path to execute. */
  wrapper(program: string): string {
    const path = join(this.#folder, 'wrapped')
    writeFileSync(path, `#!/bin/sh\nexec nsenter ${this.#entry.join(' ')} ${program} "$@"\n`, { mode: 0o755 })
    return path
  }

  /** A cable to another one, or to this process's own network with `undefined`; addresses with their prefix length. */
  connect(own: { name: string; address: string }, far: NetworkNamespace | undefined, other: typeof own): void {
    this.run('ip', 'link', 'add', 'name', own.name, 'type', 'veth', 'peer', 'name', other.name)
    this.run('ip', 'link', 'set', other.name, 'netns', String(far?.pid ?? process.pid))
    const there = (...args: readonly string[]) => (far === undefined ? run('ip', args) : far.run('ip', ...args))
    this.run('ip', 'address', 'add', own.address, 'dev', own.name)
    this.run('ip', 'link', 'set', own.name, 'up')
    there('address', 'add', other.address, 'dev', other.name)
    there('link', 'set', other.name, 'up')
  }

  async close(): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true })
    if (this.#holder.exitCode !== null || this.#holder.signalCode !== null) return
    const ended = once(this.#holder, 'exit')
    this.#holder.stdin?.end()
    await ended
  }

  get #entry(): readonly string[] {
    return ['--target', String(this.pid), '--net', '--']
  }
}
