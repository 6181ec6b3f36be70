import { parentPort, workerData } from 'node:worker_threads'
import BetterSqlite from 'better-sqlite3'
import { giveWay } from '../../system/thread-niceness.ts'
import { Checkpoints } from '../checkpoints.ts'
import type { CheckpointConfig } from './checkpoint-link.ts'

// The main file of the thread that copies the write-ahead log into the database file.

const lookEveryMs = 200

const port = parentPort
if (port === null) throw new Error('checkpoint-thread.ts is the main file of a worker')
// The thread that starts it may go before others.
giveWay(0)
const { file, nativeBinding } = workerData as CheckpointConfig

const sqlite = new BetterSqlite(file, {
  fileMustExist: true,
  timeout: 0,
  ...(nativeBinding === undefined ? {} : { nativeBinding }),
})
sqlite.pragma('synchronous = FULL')
const checkpoints = new Checkpoints(sqlite)

const timer = setInterval(() => {
  try {
    checkpoints.look()
  } catch {
    // A disk that refuses this refuses the writer too, which says so. What was committed is in the log.
  }
}, lookEveryMs)

// The only message: it is to end.
port.once('message', () => {
  clearInterval(timer)
  sqlite.close()
  port.close()
})
