import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'

const root = new URL('../../', import.meta.url).pathname
const running = new Set<ChildProcess>()

/** Node in its own process group, in the project's root: its children end with it. */
export function startNode(args: readonly string[], stdio: StdioOptions): ChildProcess {
  // What imports `sauti/documents`, as the examples do, gets the sources of this checkout.
  const flags = ['--disable-warning=ExperimentalWarning', '--conditions=sauti-source']
  const child = spawn(process.execPath, [...flags, ...args], {
    cwd: root,
    env: { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1', NODE_COMPILE_CACHE: `${root}node_modules/.cache/compile` },
    stdio,
    detached: true,
  })
  running.add(child)
  // A peer that lives on would hold the output open for ever.
  child.on('exit', () => endGroup(child))
  child.on('close', () => running.delete(child))
  return child
}

function endGroup(leader: ChildProcess): void {
  if (leader.pid === undefined) return
  try {
    process.kill(-leader.pid, 'SIGKILL')
  } catch {
    // No process was left.
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    for (const child of running) endGroup(child)
    process.exit(1)
  })
