/**
 * Runs espeak-ng's WebAssembly build with the command line of espeak-ng itself: text by standard input, WAV by standard
 * output. A program of its own, started as a child and never imported: the package is GPL-3.
 */
interface EspeakModule {
  readonly FS: { writeFile(path: string, data: string): void; readFile(path: string): Uint8Array }
}
type StartEspeak = (options: {
  readonly arguments: readonly string[]
  readonly preRun?: readonly ((module: EspeakModule) => void)[]
  readonly print: (line: string) => void
  readonly printErr: (line: string) => void
}) => Promise<EspeakModule>

const write = (bytes: Uint8Array | string) => new Promise<void>(done => process.stdout.write(bytes, () => done()))

async function readInput(): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

// Named by a variable: the package is optional, and types for it there are none.
const packageName = 'espeak-ng'
const { default: startEspeak }: { default: StartEspeak } = await import(packageName)
const given = process.argv.slice(2)
const speaks = given.includes('--stdin')
const lines: string[] = []
const complaints: string[] = []

const text = speaks ? await readInput() : ''
const ours = ['--stdin', '--stdout']
const module = await startEspeak({
  arguments: speaks ? [...given.filter(arg => !ours.includes(arg)), '-f', '/text', '-w', '/speech.wav'] : given,
  preRun: [({ FS }) => FS.writeFile('/text', text)],
  print: line => lines.push(line),
  printErr: line => complaints.push(line),
})

if (speaks) {
  try {
    await write(module.FS.readFile('/speech.wav'))
    process.exit(0)
  } catch {
    process.stderr.write(`${complaints[0] ?? 'nothing was spoken'}\n`)
    process.exit(1)
  }
}
await write(`${lines.join('\n')}\n`)
process.exit(0)
