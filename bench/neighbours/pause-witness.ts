import { setFlagsFromString } from 'node:v8'

// A process of its own on the switch's processor, with a real-time priority above all that runs there: when it wakes late,
// the machine itself stood still. It reports each such pause.

const stepMs = 2
/** Most that it may wake late without a report, ms. */
const usualMs = 10

setFlagsFromString('--single-threaded-gc')
let at = performance.now()
setInterval(() => {
  const now = performance.now()
  const lateMs = now - at - stepMs
  at = now
  if (lateMs > usualMs) process.send?.(lateMs)
}, stepMs)
process.on('disconnect', () => process.exit(0))
