import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { LibOpus } from './libopus.ts'
import { OggFile } from './ogg-file.ts'
import type { FromOgg, ToOgg } from './ogg-protocol.ts'

// The body of the thread that encodes recordings: it lives beside the media thread, and never on it.

/** Nobody waits for it: calls go first. */
const niceness = 10
// On Linux a thread has a priority of its own; elsewhere this would be the whole process.
if (process.platform === 'linux') setPriority(0, niceness)

const port = parentPort
if (port === null) throw new Error('ogg-thread.ts runs as a worker thread')

const opus = new LibOpus()
/** Undefined once the disk has refused. */
const files = new Map<number, Promise<OggFile | undefined>>()

const tell = (message: FromOgg, moved: ArrayBuffer[] = []): void => port.postMessage(message, moved)

const fail = (id: number, file: OggFile | undefined): undefined => {
  file?.close()
  tell({ type: 'failed', id })
  return undefined
}

/** One after the other for each file. */
const then = (id: number, step: (file: OggFile) => void): void => {
  const before = files.get(id) ?? Promise.resolve(undefined)
  files.set(
    id,
    before.then(file => {
      if (file === undefined) return undefined
      try {
        step(file)
        return file
      } catch {
        return fail(id, file)
      }
    }),
  )
}

port.on('message', (message: ToOgg) => {
  const { id } = message
  switch (message.type) {
    case 'open': {
      const { path, channels, rate } = message
      files.set(
        id,
        OggFile.open(path, channels, rate, opus).catch(() => fail(id, undefined)),
      )
      return
    }
    case 'samples': {
      const { pcm, count } = message
      then(id, file => file.write(pcm, count))
      void files.get(id)?.then(() => tell({ type: 'taken', id, pcm }, [pcm.buffer as ArrayBuffer]))
      return
    }
    case 'close': {
      let sizeBytes = 0
      then(id, file => {
        sizeBytes = file.finish(message.samples)
        file.close()
      })
      void files.get(id)?.then(file => tell({ type: 'closed', id, sizeBytes, hasFailed: file === undefined }))
      files.delete(id)
    }
  }
})
