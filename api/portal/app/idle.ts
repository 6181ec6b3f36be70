/** Does `work` when the browser has nothing else to do; returns how to leave it undone. */
export function whenIdle(work: () => void): () => void {
  // Safari has no such request.
  if (typeof requestIdleCallback !== 'function') {
    const timer = setTimeout(work, 500)
    return () => clearTimeout(timer)
  }
  const asked = requestIdleCallback(work, { timeout: 2000 })
  return () => cancelIdleCallback(asked)
}
