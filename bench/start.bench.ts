import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { addTrunk, BedAccount } from '../tests/rig/beds/account.ts'
import { storeCalls } from '../tests/rig/beds/stored-calls.ts'
import { SwitchProcess } from '../tests/rig/beds/switch-process.ts'
import { percentile } from './overload/burst.ts'
import { type Figure, figureOf } from './report.ts'
import { firstOptions, type Start } from './start/first-options.ts'

// Question: how long from exec to the first answered OPTIONS, with 100,000 calls stored? Of the checkout, and of the package
// and the binary when `npm run build` and `npm run build:binary` have made them. Starts take turns; the first of each, which
// may fill its caches, is not counted.

/** By its name only: it shows nothing where nothing was built. */
export const isLongTest = true

const storedCalls = 100_000
const demandedMs = 500

const root = fileURLToPath(new URL('../', import.meta.url))
const binary = join(root, `dist/sauti-linux-${process.arch}`)
const packaged = join(root, 'dist/api/cli/program.js')

let sizes = ''
export const table = (): string => sizes

export async function run(short: boolean): Promise<Figure[]> {
  const ways: readonly (readonly [string, readonly string[]])[] = [
    ['checkout', [process.execPath, join(root, 'scripts/bootstrap.mjs'), 'api/cli/main.ts', 'serve']],
    ...(existsSync(packaged) ? [['package', [process.execPath, packaged, 'serve']] as const] : []),
    ...(existsSync(binary) ? [['binary', [binary, 'serve']] as const] : []),
  ]
  const on = await SwitchProcess.start()
  const cache = mkdtempSync(join(tmpdir(), 'sauti-start-'))
  try {
    const account = await BedAccount.make(on)
    await addTrunk(on, { name: 'in', port: 5099, prefixes: [] })
    await on.kill('SIGTERM')
    storeCalls(join(on.dataFolder, 'sauti.db'), account.uuid, storedCalls)
    const environment = {
      PATH: process.env.PATH,
      XDG_CACHE_HOME: cache,
      SAUTI_DATA: on.dataFolder,
      SAUTI_HTTP: `127.0.0.1:${on.httpPort}`,
      SAUTI_SIP: `udp:127.0.0.1:${on.sipPort}`,
      SAUTI_EXTERNAL_ADDRESS: '127.0.0.1',
      SAUTI_MEDIA_PORTS: `${on.mediaPorts[0]}-${on.mediaPorts[1]}`,
    }
    const starts = ways.map((): Start[] => [])
    const rounds = short ? 3 : 7
    for (let round = 0; round <= rounds; round++)
      for (const [at, [, command]] of ways.entries()) {
        const start = await firstOptions(command, environment, on.sipPort)
        if (round > 0) starts[at]?.push(start)
      }
    if (existsSync(binary)) sizes = `the binary: ${(statSync(binary).size / 1e6).toFixed(0)} MB`
    return ways.flatMap(([name], at) => {
      const of = (value: (start: Start) => number) => percentile((starts[at] ?? []).map(value), 0.5)
      const what = `${name}: exec to first OPTIONS, ${storedCalls} calls stored, median of ${rounds}`
      return [
        figureOf(
          what,
          of(start => start.optionsMs),
          'ms',
          demandedMs,
          'demanded',
        ),
        figureOf(
          '… processor time until then',
          of(start => start.cpuMs),
          'ms',
          demandedMs,
          'demanded of the whole',
        ),
        figureOf(
          '… memory when it waits',
          of(start => start.memory),
          'MB',
          of(start => start.memory),
          'itself',
        ),
      ]
    })
  } finally {
    await on.close()
    rmSync(cache, { recursive: true, force: true })
  }
}
