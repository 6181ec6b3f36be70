/** What this process holds in memory, bytes; undefined where it cannot be known: on Linux, without /proc. */
export function residentBytes(): number | undefined {
  try {
    return process.memoryUsage.rss()
  } catch {
    return undefined
  }
}
