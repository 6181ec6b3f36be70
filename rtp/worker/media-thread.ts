import { parentPort, workerData } from 'node:worker_threads'
import { assertNever } from '../base/assert-never.ts'
import { takePrecedence } from '../io/index.ts'
import { MediaLoop } from './media-loop.ts'
import type { FromMedia, MediaThreadConfig, ToMedia } from './protocol.ts'

// The main file of a media thread: an engine between two message unions.

takePrecedence()

const port = parentPort
if (port === null) throw new Error('media-thread.ts is the main file of a worker')
const report = (message: FromMedia): void => port.postMessage(message)

const loop = new MediaLoop(
  workerData as MediaThreadConfig,
  (events, ready) => report({ type: 'events', events, ready }),
  {
    ownsThread: true,
  },
)

port.on('message', (message: ToMedia) => {
  switch (message.type) {
    case 'commands':
      loop.execute(message.commands)
      return
    case 'count':
      report({ type: 'counters', request: message.request, counters: loop.counters })
      return
    case 'dump':
      report({ type: 'dumped', request: message.request, sessions: loop.dump(message.sessions) })
      return
    case 'end':
      void loop.end().then(() => {
        report({ type: 'ended' })
        port.close()
      })
      return
    default:
      assertNever(message)
  }
})
