/**
 * A stand-in for the executable of rhasspy/piper: its command line, its standard input and output, its WAVs. What it says is
 * a tone, 60 ms a character. A file `mischief` beside the model makes it behave badly, as one word:
 * `hang`, `die` (in the middle of a text), `babble` (other lines than paths), `torn` (a WAV without its end), `slow`, `crawl`.
 * `--as-python` first in its arguments: as the one of the Python package, which knows no JSON and speaks one text.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { wavHeader } from '../../../rtp/wav/write.ts'

const given = process.argv.slice(2)
const asPython = given[0] === '--as-python'
const usage = `
usage: piper [options]

options:
   -h        --help              show this message and exit
   -m  FILE  --model       FILE  path to onnx model file
   -d  DIR   --output_dir  DIR   path to output directory (default: cwd)
   --output_raw                  output raw audio to stdout as it becomes available
   --json-input                  stdin input is lines of JSON instead of plain text
`
const pythonUsage = 'usage: __main__.py [-h] -m MODEL [--output-dir OUTPUT_DIR] [--output-raw] [--debug]\n'

const optionOf = (...names: readonly string[]): string | undefined => {
  const at = given.findIndex(arg => names.includes(arg))
  return at < 0 ? undefined : given[at + 1]
}
const has = (...names: readonly string[]): boolean => given.some(arg => names.includes(arg))
const log = (text: string) => process.stderr.write(`[2026-11-21 10:00:00.000] [piper] [info] ${text}\n`)

if (has('-h', '--help')) {
  if (asPython) process.stdout.write(pythonUsage)
  else process.stderr.write(usage)
  process.exit(0)
}
const model = optionOf('-m', '--model') ?? ''
if (!existsSync(model)) {
  process.stderr.write(
    "terminate called after throwing an instance of 'std::runtime_error'\n  what():  Model file doesn't exist\n",
  )
  process.kill(process.pid, 'SIGABRT')
}
const { audio, loadMs = 50 } = JSON.parse(readFileSync(`${model}.json`, 'utf8'))
const rate: number = audio.sample_rate
const mischief = (): string => {
  const file = join(dirname(model), 'mischief')
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
}
appendFileSync(join(dirname(model), 'starts'), `${given.join(' ')}\n`)
await sleep(loadMs)
log(`Loaded voice in ${loadMs / 1000} second(s)`)

const speak = (text: string): Uint8Array => {
  const pcm = Int16Array.from({ length: Math.round(0.06 * text.length * rate) }, (_, i) =>
    Math.round(8000 * Math.sin((2 * Math.PI * 700 * i) / rate)),
  )
  return new Uint8Array(pcm.buffer)
}

async function say(text: string, file: string | undefined): Promise<void> {
  const how = mischief()
  if (how === 'hang') await new Promise(() => setInterval(() => {}, 1000))
  if (how === 'slow') await sleep(400)
  if (how === 'crawl') await sleep(2500)
  const samples = speak(text)
  if (file === undefined) {
    process.stdout.write(samples)
    return
  }
  const wav = Buffer.concat([wavHeader({ encoding: 'pcm16', sampleRate: rate, channels: 1 }, samples.length), samples])
  // As an ofstream does: the last of it reaches the disk after the line that names the path.
  const late = Math.min(4096, samples.length)
  writeFileSync(file, wav.subarray(0, wav.length - late))
  if (how === 'die') process.kill(process.pid, 'SIGKILL')
  process.stdout.write(how === 'babble' ? `${'x'.repeat(20_000)}` : `${file}\n`)
  if (how !== 'torn') {
    await sleep(3)
    writeFileSync(file, wav)
  }
  log(`Real-time factor: 0.05 (infer=0.1 sec, audio=${samples.length / 2 / rate} sec)`)
}

const byJson = has('--json-input', '--json_input') && !asPython
const folder = resolve(optionOf('-d', '--output_dir') ?? '.')
let texts = 0
for await (const line of createInterface({ input: process.stdin })) {
  if (byJson) {
    const { text, output_file: file } = JSON.parse(line)
    await say(text, file ?? join(folder, `${++texts}.wav`))
  } else if (has('--output_raw', '--output-raw')) await say(line, undefined)
  else await say(line, join(folder, `${++texts}.wav`))
}
