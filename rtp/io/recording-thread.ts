import { parentPort, workerData } from 'node:worker_threads'
import { assertNever } from '../base/assert-never.ts'
import { LibOpus } from './libopus.ts'
import { OggWriting } from './ogg-writing.ts'
import type { RecordedFile } from './recorded-file.ts'
import { RecordingChunk } from './recording-chunk.ts'
import { RecordingMailbox } from './recording-mailbox.ts'
import type { FromRecording, RecordingThreadConfig, ToRecording } from './recording-protocol.ts'
import { giveWay } from './thread-niceness.ts'
import { WavFile } from './wav-file.ts'

// The body of a thread that writes recordings: it lives beside the media thread, and never on it.

/** How often the mailbox is looked at while a recording is open. */
const lookEveryMs = 50

const { mailbox: memory, niceness } = workerData as RecordingThreadConfig
giveWay(niceness)

const port = parentPort
if (port === null) throw new Error('recording-thread.ts runs as a worker thread')

interface Writing {
  readonly file: RecordedFile
  readonly chunks: RecordingChunk[]
  isFailureReported: boolean
}

const mailbox = new RecordingMailbox(memory)
const opus = new LibOpus()
const open = new Map<number, Writing>()
let looks: ReturnType<typeof setInterval> | undefined

const report = (message: FromRecording): void => port.postMessage(message)

const fileFor = (path: string, channels: 1 | 2, sampleRate: number): RecordedFile => {
  if (!path.endsWith('.ogg')) return new WavFile(path, channels, sampleRate)
  return new OggWriting(path, channels, sampleRate === 16_000 ? sampleRate : 8000, opus)
}

/** What is not known yet is reported by a message that is on its way. */
const take = (id: number, index: number, count: number): boolean => {
  const writing = open.get(id)
  const chunk = writing?.chunks[index]
  if (writing === undefined || chunk === undefined) return false
  writing.file.write(chunk.pcm, count, () => chunk.letGo())
  return true
}

const look = (): void => {
  mailbox.takeAll(take)
  for (const [id, writing] of open) {
    if (!writing.file.hasFailed || writing.isFailureReported) continue
    writing.isFailureReported = true
    report({ type: 'failed', id })
  }
}

port.on('message', (message: ToRecording) => {
  const { id } = message
  switch (message.type) {
    case 'open': {
      const { path, channels, sampleRate } = message
      open.set(id, { file: fileFor(path, channels, sampleRate), chunks: [], isFailureReported: false })
      looks ??= setInterval(look, lookEveryMs)
      return
    }
    case 'chunk':
      open.get(id)?.chunks.push(new RecordingChunk(message.memory))
      return
    case 'close':
      {
        mailbox.takeAll(take)
        take(id, message.chunk, message.count)
        const { file } = open.get(id)!
        open.delete(id)
        if (open.size === 0) {
          clearInterval(looks)
          looks = undefined
        }
        file.close(message.samples, (sizeBytes, hasFailed) => report({ type: 'closed', id, sizeBytes, hasFailed }))
      }
      return
    default:
      assertNever(message)
  }
})
