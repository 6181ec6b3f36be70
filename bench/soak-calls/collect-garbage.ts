import type { SwitchProcess } from '../../tests/rig/beds/switch-process.ts'
import { until } from '../../tests/rig/probes/wait.ts'

/** With this among NODE_OPTIONS the debugger that SIGUSR1 opens has a port of its own. */
export const debuggerPort = '--inspect-port=127.0.0.1:0'

/** Of each process: Node prints it only once. */
const addresses = new Map<number, string>()

const answerMs = 20_000
const attachMs = 1000

/**
 * Collects the garbage of every thread of a served switch, by the protocol of Node's debugger: V8 keeps what is free for the
 * next objects, and lets a heap grow to a multiple of what is alive, so that only the memory after this tells what is kept.
 */
export async function collectGarbage(on: SwitchProcess): Promise<void> {
  const socket = new WebSocket(addresses.get(on.pid) ?? (await openDebugger(on)))
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = reject
    setTimeout(() => reject(new Error('the debugger does not answer')), answerMs).unref()
  })
  let count = 0
  const waiting = new Map<string, () => void>()
  const threads = new Set<string>()
  socket.onmessage = ({ data }) => {
    const { id, method, params } = JSON.parse(String(data))
    if (method === 'NodeWorker.attachedToWorker') threads.add(params.sessionId)
    else if (method === 'NodeWorker.detachedFromWorker') threads.delete(params.sessionId)
    else if (method === 'NodeWorker.receivedMessageFromWorker')
      waiting.get(`${params.sessionId} ${JSON.parse(params.message).id}`)?.()
    else waiting.get(String(id))?.()
  }
  const answered = (key: string) =>
    Promise.race([
      new Promise<void>(resolve => waiting.set(key, resolve)),
      // A media thread may be ended meanwhile.
      new Promise<void>(resolve => setTimeout(resolve, answerMs).unref()),
    ])
  const ask = (method: string, params: object = {}) => {
    const id = ++count
    socket.send(JSON.stringify({ id, method, params }))
    return answered(String(id))
  }
  await ask('NodeWorker.enable', { waitForDebuggerOnStart: false })
  await new Promise(resolve => setTimeout(resolve, attachMs))
  await ask('HeapProfiler.collectGarbage')
  // Not those that begin meanwhile: media threads that are ended have others in their place, again and again.
  for (const sessionId of [...threads]) {
    if (!threads.has(sessionId)) continue
    const id = ++count
    const message = JSON.stringify({ id, method: 'HeapProfiler.collectGarbage' })
    void ask('NodeWorker.sendMessageToWorker', { sessionId, message })
    await answered(`${sessionId} ${id}`)
  }
  await ask('NodeWorker.disable')
  socket.close()
}

async function openDebugger(on: SwitchProcess): Promise<string> {
  on.log.length = 0
  process.kill(on.pid, 'SIGUSR1')
  const address = () => /Debugger listening on (ws:\S+)/.exec(on.log.join('\n'))?.[1]
  const url = await until('the address of the debugger', address, answerMs)
  addresses.set(on.pid, url)
  return url
}
