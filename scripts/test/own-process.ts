import { endTimeoutMs, type FileResult, fileTimeoutMs, readResult, summaryLine } from './file-result.ts'
import { startNode } from './node-process.ts'

/** Runs a test file in a process of its own: a leaked socket or a crash in it cannot reach another. */
export function runAlone(file: string): Promise<FileResult> {
  const started = Date.now()
  return new Promise(resolve => {
    const child = startNode([file], ['ignore', 'pipe', 'pipe'])
    let output = ''
    let leakTimer: NodeJS.Timeout | undefined
    child.stdout?.on('data', chunk => {
      output += chunk
      if (!summaryLine.test(output)) return
      leakTimer ??= setTimeout(() => {
        output += `\n${file} did not end after its tests and was killed`
        child.kill('SIGKILL')
      }, endTimeoutMs)
    })
    child.stderr?.on('data', chunk => {
      output += chunk
    })
    const timer = setTimeout(() => {
      output += `\n${file} ran for more than ${fileTimeoutMs / 1000} s and was killed`
      child.kill('SIGKILL')
    }, fileTimeoutMs)
    child.on('close', code => {
      clearTimeout(timer)
      clearTimeout(leakTimer)
      resolve(readResult(file, output, (Date.now() - started) / 1000, code === 0))
    })
  })
}
