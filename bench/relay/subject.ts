/** What a measured process is asked and tells, as messages of a forked process. */
export type ToSubject =
  | { readonly type: 'open'; readonly legs: number; readonly peerPorts: readonly number[] }
  | { readonly type: 'cpu' }
export type FromSubject =
  | { readonly type: 'ports'; readonly ports: readonly number[] }
  | { readonly type: 'cpu'; readonly micros: number }

/** Runs in the measured process: `open` makes `legs` legs, each bridged with its neighbour, and gives their ports. */
export async function serveLoad(
  open: (legs: number, peerPort: (leg: number) => number) => Promise<readonly number[]>,
): Promise<void> {
  const tell = (message: FromSubject) => process.send?.(message)
  process.on('disconnect', () => process.exit(0))
  process.on('message', async (message: ToSubject) => {
    if (message.type === 'cpu') {
      const { user, system } = process.cpuUsage()
      tell({ type: 'cpu', micros: user + system })
    } else tell({ type: 'ports', ports: await open(message.legs, leg => message.peerPorts[leg]!) })
  })
}
