import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { MediaLoop } from './media-loop.ts'
import type { FromMedia, MediaThreadConfig, ToMedia } from './protocol.ts'

// The main file of a media thread: an engine between two message unions.

/** A packet that is late is lost: calls go before whatever else the machine does. */
const niceness = -10
if (process.platform === 'linux') {
  try {
    // On Linux a thread has a priority of its own.
    setPriority(0, niceness)
  } catch {
    // It takes root, CAP_SYS_NICE or RLIMIT_NICE; without, media is as everybody else.
  }
}

const port = parentPort
if (port === null) throw new Error('media-thread.ts is the main file of a worker')
const tell = (message: FromMedia): void => port.postMessage(message)

const loop = new MediaLoop(workerData as MediaThreadConfig, events => tell({ type: 'events', events }))

port.on('message', (message: ToMedia) => {
  switch (message.type) {
    case 'commands':
      loop.execute(message.commands)
      return
    case 'count':
      tell({ type: 'counters', request: message.request, counters: loop.counters })
      return
    case 'end':
      void loop.end().then(() => {
        tell({ type: 'ended' })
        port.close()
      })
      return
  }
})
