import { writeSync } from 'node:fs'

/**
 * Runs espeak-ng's WebAssembly build with the command line of espeak-ng itself: text by standard input, WAV by standard
 * output, while it speaks. A program of its own, started as a child and never imported: the package is GPL-3.
 */
interface EspeakModule {
  readonly FS: {
    writeFile(path: string, data: string): void
    makedev(major: number, minor: number): number
    registerDevice(device: number, operations: Device): void
    mkdev(path: string, mode: number, device: number): void
  }
}
/** As Emscripten's file system calls it; what cannot be sought is written from its beginning to its end. */
interface Device {
  readonly open: () => void
  readonly close: () => void
  readonly write: (stream: unknown, from: Uint8Array, at: number, length: number) => number
}
type StartEspeak = (options: {
  readonly arguments: readonly string[]
  readonly preRun?: readonly ((module: EspeakModule) => void)[]
  readonly print: (line: string) => void
  readonly printErr: (line: string) => void
}) => Promise<EspeakModule>

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
const speech = '/speech.wav'
const ownDevice = 90

/** A second and a half: it writes some bytes at a time, and each goes through the kernel. */
const gathered = new Uint8Array(64 * 1024)
let count = 0
let spoken = 0

/** Waits when there is no reader. `process.stdout` must not be touched before: its pipe would wait no more. */
function pass(): void {
  for (let at = 0; at < count; ) at += writeSync(1, gathered, at, count - at)
  count = 0
}

function gather(bytes: Uint8Array): number {
  for (let at = 0; at < bytes.length; ) {
    const piece = bytes.subarray(at, at + gathered.length - count)
    gathered.set(piece, count)
    count += piece.length
    at += piece.length
    if (count === gathered.length) pass()
  }
  spoken += bytes.length
  return bytes.length
}

function prepare({ FS }: EspeakModule): void {
  FS.writeFile('/text', text)
  const device = FS.makedev(ownDevice, 0)
  FS.registerDevice(device, {
    open: () => {},
    close: () => {},
    write: (_stream, from, at, length) => gather(from.subarray(at, at + length)),
  })
  FS.mkdev(speech, 0o666, device)
}

const ours = ['--stdin', '--stdout']
await startEspeak({
  arguments: speaks ? [...given.filter(arg => !ours.includes(arg)), '-f', '/text', '-w', speech] : given,
  preRun: [prepare],
  print: line => lines.push(line),
  printErr: line => complaints.push(line),
})

if (speaks) {
  pass()
  if (spoken > 0) process.exit(0)
  process.stderr.write(`${complaints[0] ?? 'nothing was spoken'}\n`, () => process.exit(1))
} else process.stdout.write(`${lines.join('\n')}\n`, () => process.exit(0))
