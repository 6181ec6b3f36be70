const barWidth = 40

/** A bar on the terminal; `done`: 0 to 1. */
export const showProgress = (done: number): void => {
  const full = Math.round(done * barWidth)
  process.stderr.write(`\r[${'█'.repeat(full)}${'·'.repeat(barWidth - full)}] ${(100 * done).toFixed(0)} %`)
  if (done >= 1) process.stderr.write('\n')
}
