const barColumns = 30

/** Draws one line on a terminal, and nothing elsewhere. */
export function progressBar(stream: NodeJS.WriteStream): (part: string, done: number, total: number) => void {
  let last = ''
  return (part, done, total) => {
    if (!stream.isTTY || total === 0) return
    const filled = Math.floor((barColumns * done) / total)
    const line = `${part.padEnd(9)} [${'#'.repeat(filled)}${' '.repeat(barColumns - filled)}] ${Math.floor((100 * done) / total)} %`
    if (line !== last) stream.write(`\r${line}\x1b[K${done === total ? '\n' : ''}`)
    last = line
  }
}
