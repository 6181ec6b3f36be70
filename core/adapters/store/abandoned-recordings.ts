import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { parseWav } from '../../../rtp/index.ts'
import { finishOggFile } from '../../../rtp/io/index.ts'
import type { RecordingRecord } from '../../model/call-record.ts'
import { recordingOf } from './call-rows.ts'
import type { Database } from './database.ts'
import type { Row } from './schema.ts'

/** Holds the head of any WAV that we write. */
const headLength = 4096

export interface MeasuredRecording {
  readonly recording: RecordingRecord
  /** False: the file is missing, or has no sample that could be heard. */
  readonly isAudible: boolean
}

/**
 * Recordings that a crash left without their length, measured by their files: WAVs are valid at every moment, Ogg files
 * once they are finished here.
 */
export function measureAbandoned(database: Database, folder: string): readonly MeasuredRecording[] {
  const rows = database.prepare<[], Row<'recordings'>>(
    'SELECT * FROM recordings WHERE duration_ms IS NULL AND deleted_unix IS NULL',
  )
  return rows.all().map(row => {
    const recording = recordingOf(row)
    const path = join(folder, recording.path)
    const { durationMs, sizeBytes } = recording.mediaFormat === 'ogg' ? (finishOggFile(path) ?? nothing) : measure(path)
    return { recording: { ...recording, durationMs, sizeBytes }, isAudible: durationMs > 0 }
  })
}

const nothing = { durationMs: 0, sizeBytes: 0 }

function measure(file: string): { readonly durationMs: number; readonly sizeBytes: number } {
  let handle: number
  try {
    handle = openSync(file, 'r')
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
