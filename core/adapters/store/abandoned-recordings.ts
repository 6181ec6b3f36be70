import { join } from 'node:path'
import type { RecordingRecord } from '../../model/call-record.ts'
import { measureRecording } from '../recordings/measure-recording.ts'
import { recordingOf } from './call-rows.ts'
import type { Database } from './database.ts'
import type { Row } from './schema.ts'

interface MeasuredRecording {
  readonly recording: RecordingRecord
  /** False: the file is missing, or has no sample that could be played. */
  readonly isAudible: boolean
}

/** Recordings that a crash left without their length, measured by their files. */
export function measureAbandoned(database: Database, folder: string): readonly MeasuredRecording[] {
  const rows = database.prepare<[], Row<'recordings'>>(
    'SELECT * FROM recordings WHERE duration_ms IS NULL AND deleted_unix IS NULL',
  )
  return rows.all().map(row => {
    const recording = recordingOf(row)
    const { durationMs, sizeBytes } = measureRecording(join(folder, recording.path))
    return { recording: { ...recording, durationMs, sizeBytes }, isAudible: durationMs > 0 }
  })
}
