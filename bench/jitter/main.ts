import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { LibOpus } from '../../rtp/io/libopus.ts'
import { measure } from './measure.ts'
import { delayBarPicture, delayPicture, scorePicture } from './pictures.ts'
import { comparisonOf, reportOf } from './report.ts'

const usage = `usage: npm run bench:jitter [-- [--short] [--seconds N] [--seed N] [--out FOLDER]]
Compares the jitter buffer with fixed ones, and with none that hides losses, on made-up networks, in virtual time.
Writes jitter.md and its plots (jitter/*.svg). The same seed gives the same figures.
  --short      10 s a network, written to a temporary folder: shows that it runs
  --seconds N  of speech over each network, 5 to 600 (60)
  --seed N     of networks, sentences and pauses (1)
  --out FOLDER where the page goes (docs)`

const { values } = parseArgs({
  options: {
    short: { type: 'boolean' },
    seconds: { type: 'string' },
    seed: { type: 'string' },
    out: { type: 'string' },
    help: { type: 'boolean' },
  },
})
if (values.help === true) {
  process.stdout.write(`${usage}\n`)
  process.exit(0)
}
const isShort = values.short === true
const seconds = Number(values.seconds ?? (isShort ? 10 : 60))
const seed = Number(values.seed ?? 1)
if (!Number.isInteger(seconds) || seconds < 5 || seconds > 600 || !Number.isInteger(seed)) {
  process.stderr.write(`${usage}\n`)
  process.exit(2)
}
const root = new URL('../../', import.meta.url).pathname
const out = resolve(values.out ?? (isShort ? join(tmpdir(), 'sauti-jitter') : join(root, 'docs')))

const opus = new LibOpus()
await opus.warm()
const results = await measure(seconds, seed, opus, (done, of, what) => {
  process.stderr.write(`${String(Math.round((100 * done) / of)).padStart(3)} %  ${what}\n`)
})

mkdirSync(join(out, 'jitter'), { recursive: true })
writeFileSync(join(out, 'jitter.md'), reportOf(results, 'jitter'))
writeFileSync(join(out, 'jitter/score.svg'), scorePicture(results))
writeFileSync(join(out, 'jitter/delay.svg'), delayBarPicture(results))
writeFileSync(join(out, 'jitter/delay-over-time.svg'), delayPicture(results))
for (const codec of ['PCMU', 'opus'] as const) {
  process.stdout.write(`\n${codec}: score · mean delay / 95th percentile\n`)
  process.stdout.write(`${comparisonOf(results.rows.filter(row => row.codec === codec))}\n`)
}
process.stdout.write(`\n${relative(process.cwd(), join(out, 'jitter.md'))} is written, with its plots beside it\n`)
process.exit(0)
