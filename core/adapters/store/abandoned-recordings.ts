import { join } from 'node:path'
import type { RecordingRecord } from '../../model/call-record.ts'
import { recordingOf } from './call-rows.ts'
import type { Database } from './database.ts'
import type { Row } from './schema.ts'

export interface MeasuredRecording {
  readonly recording: RecordingRecord
  /** False: the file is missing, or has no sample that could be played. */
  readonly isAudible: boolean
}

/** Recordings that a crash left without their length, measured by their files. */
export async function measureAbandoned(database: Database, folder: string): Promise<readonly MeasuredRecording[]> {
  const select = database.prepare<[], Row<'recordings'>>(
    'SELECT * FROM recordings WHERE duration_ms IS NULL AND deleted_unix IS NULL',
  )
  const rows = select.all()
  // Most starts have none, and need not load what reads audio.
  if (rows.length === 0) return []
  const { measureRecording } = await import('../recordings/measure-recording.ts')
  return rows.map(row => {
    const recording = recordingOf(row)
    const { durationMs, sizeBytes } = measureRecording(join(folder, recording.path))
    return { recording: { ...recording, durationMs, sizeBytes }, isAudible: durationMs > 0 }
  })
}
