import { useEffect, useRef, useState } from 'preact/hooks'
import { length } from '../format.ts'
import { t } from '../texts/index.ts'
import { Icon } from './icon.tsx'
import { FaultText } from './said.tsx'

const bars = 160

/** Plays audio that `load` gives, with its waveform; a click or the arrow keys choose the place. */
export function AudioPlayer({ name, load }: { readonly name: string; readonly load: () => Promise<ArrayBuffer> }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const audio = useRef<HTMLAudioElement>(null)
  const [peaks, setPeaks] = useState<readonly number[]>([])
  const [url, setUrl] = useState('')
  const [at, setAt] = useState(0)
  const [whole, setWhole] = useState(0)
  const [isPlaying, setPlaying] = useState(false)
  const [error, setError] = useState<string | Error>('')

  useEffect(() => {
    let made = ''
    const open = async () => {
      const bytes = await load()
      made = URL.createObjectURL(new Blob([bytes.slice(0)]))
      setUrl(made)
      const context = new AudioContext()
      const sound = await context.decodeAudioData(bytes)
      await context.close()
      setWhole(sound.duration)
      setPeaks(peaksOf(sound))
    }
    open().catch(fault => setError(fault instanceof Error ? fault : String(fault)))
    return () => URL.revokeObjectURL(made)
  }, [])

  useEffect(() => draw(canvas.current, peaks, whole === 0 ? 0 : at / whole), [peaks, at, whole])

  const seek = (to: number) => {
    if (audio.current) audio.current.currentTime = Math.max(0, Math.min(whole, to))
  }
  const toggle = () =>
    isPlaying ? audio.current?.pause() : audio.current?.play().catch(fault => setError(String(fault)))
  if (error !== '')
    return (
      <p class="soft">
        <FaultText fault={error} />
      </p>
    )
  return (
    <div class="audio">
      <button
        type="button"
        class="round"
        disabled={url === ''}
        aria-label={`${t(isPlaying ? 'pause' : 'play')}: ${name}`}
        onClick={toggle}
      >
        <Icon name={isPlaying ? 'pause' : 'play'} />
      </button>
      <div
        class="wave"
        role="slider"
        tabIndex={0}
        aria-label={`${t('position')}: ${name}`}
        aria-valuemin={0}
        aria-valuemax={Math.round(whole)}
        aria-valuenow={Math.round(at)}
        aria-valuetext={length(at)}
        onClick={event => {
          const box = event.currentTarget.getBoundingClientRect()
          seek(((event.clientX - box.left) / box.width) * whole)
        }}
        onKeyDown={event => {
          if (event.key === 'ArrowRight') seek(at + 2)
          else if (event.key === 'ArrowLeft') seek(at - 2)
          else if (event.key === ' ' || event.key === 'Enter') toggle()
          else return
          event.preventDefault()
        }}
      >
        <canvas ref={canvas} width={bars * 4} height={72} />
      </div>
      <span class="soft figure">
        {length(at)} / {length(whole)}
      </span>
      {/* What is said in a call has no captions. */}
      <audio
        ref={audio}
        src={url === '' ? undefined : url}
        onTimeUpdate={event => setAt(event.currentTarget.currentTime)}
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onEnded={() => setAt(0)}
      >
        <track kind="captions" />
      </audio>
    </div>
  )
}

function peaksOf(sound: AudioBuffer): readonly number[] {
  const samples = sound.getChannelData(0)
  const size = Math.max(1, Math.floor(samples.length / bars))
  return Array.from({ length: bars }, (_, bar) => {
    let most = 0
    for (let index = bar * size; index < (bar + 1) * size; index += 4)
      most = Math.max(most, Math.abs(samples[index] ?? 0))
    return most
  })
}

function draw(canvas: HTMLCanvasElement | null, peaks: readonly number[], played: number): void {
  const pen = canvas?.getContext('2d')
  if (!canvas || !pen) return
  const style = getComputedStyle(canvas)
  const [on, off] = [style.getPropertyValue('--brand'), style.getPropertyValue('--wave')]
  pen.clearRect(0, 0, canvas.width, canvas.height)
  peaks.forEach((peak, bar) => {
    const tall = Math.max(3, Math.min(1, peak * 1.3) * canvas.height)
    pen.fillStyle = bar / bars < played ? on : off
    pen.fillRect(bar * 4, (canvas.height - tall) / 2, 2.6, tall)
  })
}
