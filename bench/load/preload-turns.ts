import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

// Preloaded into a served switch (NODE_OPTIONS=--import): measures the event loop of its signalling thread.
// SIGUSR2 once: begin; again: write what was measured to the file that SAUTI_BENCH_TURNS names, and end.

/** How late a timer of this is, is how long the loop did not come to its timers. */
const timerMs = 1

if (isMainThread && process.env.SAUTI_BENCH_TURNS !== undefined) {
  const file = process.env.SAUTI_BENCH_TURNS
  const turns = monitorEventLoopDelay({ samplePerIteration: true })
  const delays = monitorEventLoopDelay({ resolution: timerMs })
  const inMs = ({ min, max, mean, count }: typeof turns, of: (part: number) => number, less: number) => {
    const ms = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - less)
    const percentiles = [50, 90, 99, 99.9].map(part => ms(of(part)))
    return { count, min: ms(min), mean: ms(mean), percentiles, max: ms(max) }
  }
  let isMeasuring = false
  process.on('SIGUSR2', () => {
    isMeasuring = !isMeasuring
    if (isMeasuring) {
      for (const histogram of [turns, delays]) {
        histogram.reset()
        histogram.enable()
      }
      return
    }
    turns.disable()
    delays.disable()
    const measured = {
      turns: inMs(turns, part => turns.percentile(part), 0),
      delays: inMs(delays, part => delays.percentile(part), timerMs),
    }
    writeFileSync(file, JSON.stringify(measured))
  })
}
