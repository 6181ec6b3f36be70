import { join } from 'node:path'
import type { CDPSession } from 'playwright-core'
import { expectStatus } from '../../tests/rig/beds/account.ts'
import { PortalBed, type PortalTab } from '../../tests/rig/beds/portal-bed.ts'
import { storeCalls } from '../../tests/rig/beds/stored-calls.ts'
import { sine } from '../../tests/rig/probes/tone.ts'
import { sleep, until } from '../../tests/rig/probes/wait.ts'
import { threadTimes } from '../load/thread-times.ts'
import { percentile } from '../overload/burst.ts'

export interface PortalFigures {
  readonly browser: string
  readonly opens: readonly { readonly name: string; readonly ms: number; readonly p99Ms: number }[]
  /** The first page that is requested of a switch just started. */
  readonly firstMs: number
  readonly pagingMs: number
  readonly plots: readonly { readonly name: string; readonly percent: number }[]
  readonly scriptKb: number
  readonly switchPercents: readonly { readonly name: string; readonly percent: number }[]
}

export interface PortalOrder {
  /** Of watching a page that is live. */
  readonly seconds: number
  /** Openings of each page; their median counts. */
  readonly rounds: number
  readonly onProgress: (line: string) => void
}

const storedCalls = 100_000
const callsPerSecond = 20
/** Fifty are live at a time. */
const talkMs = 2_500

/** In the page: milliseconds from a change of the address to the page's content. */
const openingOf = (hash: string): string => `new Promise(resolve => {
  const from = performance.now()
  const before = document.querySelector('main')?.firstElementChild
  location.hash = ${JSON.stringify(hash)}
  const look = () => {
    const main = document.querySelector('main')
    const isThere = location.hash === ${JSON.stringify(hash)} && main.firstElementChild !== before
      && main.querySelector('h1') && !main.querySelector('.waiting')
    if (isThere) resolve(performance.now() - from)
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
})`

const pages = ['calls', 'documents', 'numbers', 'people', 'events', 'wallet', 'recordings', 'webhooks'] as const
const consolePages = ['operator', 'operator/accounts', 'operator/trunks', 'operator/rates'] as const
const median = (values: readonly number[]): number => percentile(values, 0.5)
const percentilesOf = (times: readonly number[]) => ({ ms: median(times), p99Ms: percentile(times, 0.99) })

/** Every page opened in turn, live pages watched, and the switch's own time with and without a page. */
export async function measurePortal({ seconds, rounds, onProgress }: PortalOrder): Promise<PortalFigures> {
  const bed = await PortalBed.open({ prefixes: ['+254'] })
  try {
    const { account, on } = bed.bed
    const limits = { max_calls_per_second: 100, max_inbound_calls: 500, max_concurrent_calls: 500 }
    expectStatus(await on.operator('PATCH', `/accounts/${account.uuid}`, limits), 200)
    await account.asset('tone', sine(440, 1))
    await account.hosts('voice_inbound', '<Play asset="tone" loop="0"/>')
    await on.kill('SIGTERM')
    storeCalls(join(on.dataFolder, 'sauti.db'), account.uuid, storedCalls)
    await on.open()
    const [firstMs = Number.NaN] = await coldOpenings(await bed.tab(), 1)
    onProgress(`home of a switch just started: ${firstMs.toFixed(0)} ms`)
    const watched = rounds * 20 + seconds * 8 + 90
    const callers = await bed.bed.caller({
      scenario: 'caller-hangs-up',
      calls: callsPerSecond * watched,
      callsPerSecond,
      pauseMs: talkMs,
      trace: false,
      timeoutSeconds: watched * 2,
    })
    try {
      await until('50 live calls', async () => (await on.operator('GET', '/calls?limit=1')).body.total >= 40, 30_000)
      await sleep(2 * talkMs)
      return { ...(await figuresOf(bed, { seconds, rounds, onProgress })), firstMs }
    } finally {
      callers.stop()
    }
  } finally {
    await bed.close()
  }
}

async function figuresOf(
  bed: PortalBed,
  { seconds, rounds, onProgress }: PortalOrder,
): Promise<Omit<PortalFigures, 'firstMs'>> {
  const tab = await bed.tab()
  const scriptKb = await firstScripts(tab)
  const cold = await coldOpenings(tab, rounds)
  const opens: { name: string; ms: number; p99Ms: number }[] = [
    { name: 'home, the first time in a tab', ...percentilesOf(cold) },
  ]
  const { body } = expectStatus(await bed.bed.account.api('GET', '/calls/?limit=200'), 200)
  const newest = body.calls.find((call: { ended_at: unknown }) => call.ended_at !== null)
  if (newest === undefined) throw new Error(`no call has ended: ${JSON.stringify(body).slice(0, 600)}`)
  for (const path of ['', ...pages, `calls/${newest.uuid}`, ...consolePages]) {
    const times: number[] = []
    for (let round = 0; round <= rounds; round++) {
      await tab.go(path === 'keys' ? '' : 'keys')
      const ms = await tab.page.evaluate<number>(openingOf(`#/${path}`))
      // The first one loads the page's own script.
      if (round > 0) times.push(ms)
    }
    const name = path === '' ? 'home' : path.replace(/^calls\/.*/, 'the page of a call')
    const figures = percentilesOf(times)
    opens.push({ name, ...figures })
    onProgress(`${name}: ${figures.ms.toFixed(0)} ms, p99 ${figures.p99Ms.toFixed(0)} ms`)
  }
  const pagingMs = await paging(tab, rounds)
  const plots: { name: string; percent: number }[] = []
  const switchPercents: { name: string; percent: number }[] = []
  for (const [name, path] of [
    ['home', ''],
    ['calls', 'calls'],
    ['live figures of the console', 'operator'],
  ] as const) {
    // The same load without a page, just before.
    await tab.page.goto('about:blank')
    const idle = await switchTime(bed, seconds)
    await tab.go(path)
    const session = await tab.page.context().newCDPSession(tab.page)
    await session.send('Performance.enable')
    const before = await taskSeconds(session)
    const used = await switchTime(bed, seconds)
    const percent = ((await taskSeconds(session)) - before) * (100 / seconds)
    plots.push({ name, percent })
    switchPercents.push({ name, percent: used - idle })
    onProgress(
      `${name}: browser ${percent.toFixed(1)} %, switch ${used.toFixed(1)} % (${idle.toFixed(1)} % without a page)`,
    )
  }
  return { browser: bed.browser.version(), opens, pagingMs, plots, scriptKb, switchPercents }
}

/** Of all threads, in percent of a core. */
async function switchTime(bed: PortalBed, seconds: number): Promise<number> {
  const sum = () => [...threadTimes(bed.bed.on.pid).values()].reduce((total, { cpuMs }) => total + cpuMs, 0)
  const [from, before] = [performance.now(), sum()]
  await sleep(seconds * 1000)
  return ((sum() - before) / (performance.now() - from)) * 100
}

async function taskSeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0
}

/** What comes over the wire before home is there. */
async function firstScripts(tab: PortalTab): Promise<number> {
  await tab.go('')
  const bytes = await tab.page.evaluate<number>(
    `performance.getEntriesByType('resource').filter(it => it.name.endsWith('.js')).reduce((sum, it) => sum + it.encodedBodySize, 0)`,
  )
  return bytes / 1000
}

/** From navigation to the content, by the page's own clock. */
async function coldOpenings(tab: PortalTab, rounds: number): Promise<readonly number[]> {
  await tab.page.addInitScript(`(() => {
    const look = () => {
      if (document.querySelector('.tiles') === null) requestAnimationFrame(look)
      else globalThis.openedAt = performance.now()
    }
    requestAnimationFrame(look)
  })()`)
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    await tab.page.goto('about:blank')
    await tab.page.goto(`${tab.base}/#/`)
    times.push(await until('home', () => tab.page.evaluate<number | undefined>('globalThis.openedAt')))
  }
  return times
}

async function paging(tab: PortalTab, rounds: number): Promise<number> {
  await tab.go('calls')
  const times: number[] = []
  for (let round = 1; round <= rounds; round++) {
    const ms = await tab.page.evaluate<number>(`new Promise(resolve => {
      const from = performance.now()
      const first = document.querySelector('tbody tr')?.textContent
      location.hash = '#/calls?from=${round * 5000}'
      const look = () => {
        const now = document.querySelector('tbody tr')?.textContent
        if (now !== undefined && now !== first && document.querySelector('.pager span')?.textContent.includes('${round * 5},001')) resolve(performance.now() - from)
        else requestAnimationFrame(look)
      }
      requestAnimationFrame(look)
    })`)
    times.push(ms)
  }
  return median(times)
}
