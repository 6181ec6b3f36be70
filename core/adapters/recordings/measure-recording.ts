import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { parseWav } from '../../../rtp/index.ts'
import { finishOggFile } from '../../../rtp/io/index.ts'

/** Holds the head of any WAV that we write. */
const headLength = 4096

interface RecordingMeasure {
  readonly durationMs: number
  readonly sizeBytes: number
}

const nothing: RecordingMeasure = { durationMs: 0, sizeBytes: 0 }

/**
 * What a recording holds whose writer is gone: WAVs are valid at every moment, Ogg files once they are finished here. A
 * file that is missing, or none of ours, holds nothing.
 */
export const measureRecording = (path: string): RecordingMeasure =>
  path.endsWith('.ogg') ? (finishOggFile(path) ?? nothing) : measureWav(path)

function measureWav(path: string): RecordingMeasure {
  let handle: number
  try {
    handle = openSync(path, 'r')
  } catch {
    return nothing
  }
  try {
    const { size } = fstatSync(handle)
    const head = Buffer.alloc(Math.min(size, headLength))
    const read = readSync(handle, head, 0, head.length, 0)
    const parsed = parseWav(head.subarray(0, read), size)
    return { durationMs: parsed.ok ? Math.round(parsed.value.durationMs) : 0, sizeBytes: size }
  } catch {
    return nothing
  } finally {
    closeSync(handle)
  }
}
