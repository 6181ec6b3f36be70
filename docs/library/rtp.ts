import { levelAt, parseWav, pcmu, renderTone, tones, wavHeader } from 'sauti/rtp'

const pcm = renderTone(tones.beep, 8000)
const coded = new Uint8Array(pcm.length)
pcmu.encodeInto(coded, 0, pcm, 0, pcm.length)
console.log(levelAt(pcm, 0, 800, 1000, 8000))

const header = wavHeader({ encoding: 'mulaw', channels: 1, sampleRate: 8000 }, coded.length)
const parsed = parseWav(new Uint8Array([...header, ...coded]))
console.log(parsed.ok ? parsed.value.durationMs : parsed.reason)
