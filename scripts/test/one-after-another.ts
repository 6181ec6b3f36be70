import { run } from 'uvu/run'
import { formatEnd } from './file-result.ts'

// The process that several test files share: each is named by a message, and has ended when nothing keeps it alive.
const root = new URL('../../', import.meta.url).pathname
let isTested = true

process.on('message', async (file: string) => {
  process.channel?.unref()
  process.exitCode = undefined
  isTested = false
  // uvu keeps what it has run.
  Object.assign(globalThis, { UVU_QUEUE: [] })
  await run([{ name: file, file: `${root}${file}`.slice(1) }])
  isTested = true
})

process.on('beforeExit', () => {
  // A test waits for what never comes: uvu says so.
  if (!isTested) process.exit(1)
  if (!process.connected) return
  process.channel?.ref()
  process.stdout.write(formatEnd(Number(process.exitCode ?? 0)))
})
