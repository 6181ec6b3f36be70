import { useState } from 'preact/hooks'
import { api, fetchBytes, must } from '../api.ts'
import type { Recording } from '../api-types.ts'
import { shortLength } from '../format.ts'
import { t } from '../texts/index.ts'
import { AudioPlayer } from '../ui/audio.tsx'
import { attempt, Button } from '../ui/basics.tsx'

async function recordingBytes(uuid: string): Promise<ArrayBuffer> {
  const { url } = await must(api.POST('/recordings/download', { body: { uuid } }))
  const { pathname, search } = new URL(url)
  const answer = await fetchBytes(pathname + search)
  if (!answer.ok) throw new Error(t('gone'))
  return answer.arrayBuffer()
}

export function RecordingPlayer({ recording }: { readonly recording: Recording }) {
  const [isOpen, open] = useState(false)
  // It can be played while it is being made.
  const length = recording.duration_seconds === null ? t('beingRecorded') : shortLength(recording.duration_seconds)
  const name = `${recording.media_format} ${length}`
  const download = async () => {
    const { url } = await must(api.POST('/recordings/download', { body: { uuid: recording.uuid } }))
    window.open(url, '_blank', 'noopener')
  }
  return (
    <div class="recording">
      {isOpen ? (
        <AudioPlayer name={name} load={() => recordingBytes(recording.uuid)} />
      ) : (
        <Button glyph="play" onClick={() => open(true)}>
          {t('listen')} · {length}
        </Button>
      )}
      <Button onClick={() => attempt(download)}>{t('download')}</Button>
    </div>
  )
}
