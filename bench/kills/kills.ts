import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../../core/adapters/store/database.ts'
import { addTrunk, BedAccount, expectStatus, setRates } from '../../tests/rig/beds/account.ts'
import { SwitchProcess } from '../../tests/rig/beds/switch-process.ts'
import { Customer } from '../../tests/rig/peers/customer.ts'
import { Sipp } from '../../tests/rig/peers/sipp.ts'
import { freePort } from '../../tests/rig/probes/ports.ts'
import { sine } from '../../tests/rig/probes/tone.ts'
import { until } from '../../tests/rig/probes/wait.ts'
import { findingsIn } from './findings.ts'

interface KillsOptions {
  readonly kills: number
  /** Calls a second that come in, and that are placed by the API. */
  readonly inboundPerSecond: number
  readonly placedPerSecond: number
  /** In [0, 1). */
  readonly random: () => number
  readonly onProgress: (line: string) => void
}

interface KillsResult {
  readonly kills: number
  readonly calls: number
  readonly interrupted: number
  readonly events: number
  /** Callbacks that came once more with the same id, as they may after a kill. */
  readonly repeated: number
  /** From the start of the process until it was ready, ms. */
  readonly restartMs: readonly number[]
  /** Of that: closing what the kill had left open, ms. */
  readonly recoveryMs: readonly number[]
  /** What is wrong: a sentence each. */
  readonly findings: readonly string[]
}

const leastUpMs = 200
const mostUpMs = 1700
const callbacksMs = 60_000

/** A switch under load that is killed at random moments, on one data folder; then its rows, and what its customer received. */
export async function killsUnderLoad(options: KillsOptions): Promise<KillsResult> {
  const { kills, inboundPerSecond, placedPerSecond, random, onProgress } = options
  const on = await SwitchProcess.start({ SAUTI_LOG: 'info', SAUTI_MEDIA_PORTS: '12000-15999' })
  const customer = await Customer.open()
  const callbacks = new Map<string, number>()
  const acknowledged = new Set<string>()
  const restartMs: number[] = []
  const recoveryMs: number[] = []
  const peers: Sipp[] = []
  let isUp = true
  try {
    await setRates(on)
    const account = await BedAccount.make(on, { balance: '10000000' })
    const caps = { max_concurrent_calls: 100_000, max_inbound_calls: 100_000, max_dialled_legs: 100_000 }
    expectStatus(await on.operator('PATCH', `/accounts/${account.uuid}`, { ...caps, max_calls_per_second: 1000 }), 200)
    await account.asset('tone', sine(440, 1))
    const status = customer.on('/status', (post, response) => {
      callbacks.set(post.body.id, (callbacks.get(post.body.id) ?? 0) + 1)
      response.writeHead(200).end()
    })
    await account.webhook('status', status)
    const calleePort = await freePort()
    await addTrunk(on, { name: 'carrier', port: calleePort, prefixes: ['+255'] })
    await account.hosts('voice_inbound', '<Dial><Number>+255700000001</Number></Dial>')
    const script = await account.document('<Play asset="tone"/><Pause length="1"/>')
    const forever = { calls: 10_000_000, timeoutSeconds: 100_000, trace: false, rtpPort: 9 }
    const callee = new Sipp({ scenario: 'callee', localPort: calleePort, ...forever })
    await callee.listening()
    peers.push(callee)
    peers.push(
      new Sipp({
        scenario: 'caller-hangs-up',
        remote: `127.0.0.1:${on.sipPort}`,
        localPort: await freePort(),
        service: account.number,
        from: '+254722000111',
        callsPerSecond: inboundPerSecond,
        pauseMs: 700,
        ...forever,
      }),
    )
    const place = setInterval(() => {
      if (!isUp) return
      account
        .api('POST', '/calls/originate', { to: '+255700000002', from: account.number, url: script })
        .then(({ status, body }) => status === 201 && acknowledged.add(body.sid))
        .catch(() => {
          // The switch is down: nothing was promised.
        })
    }, 1000 / placedPerSecond)
    for (let kill = 1; kill <= kills; kill++) {
      await sleep(leastUpMs + random() * (mostUpMs - leastUpMs))
      isUp = false
      await on.kill('SIGKILL')
      on.log.length = 0
      customer.posts.length = 0
      restartMs.push(await on.open())
      recoveryMs.push(recoveryOf(on.log))
      isUp = true
      if (kill % 10 === 0)
        onProgress(`${kill} kills, ${callbacks.size} events reported, last restart ${restartMs.at(-1)} ms`)
    }
    clearInterval(place)
    for (const peer of peers.splice(1)) peer.stop()
    await quiet(on)
    const check = await on.cli('check')
    for (const peer of peers.splice(0)) peer.stop()
    await on.kill('SIGTERM')
    const database = openDatabase(on.dataFolder, { readOnly: true })
    try {
      const seen = findingsIn(database, { callbacks, acknowledged })
      const findings = check.code === 0 ? seen.findings : [`sauti check: ${check.output}`, ...seen.findings]
      const repeated = [...callbacks.values()].filter(times => times > 1).length
      return { kills, ...seen, repeated, restartMs, recoveryMs, findings }
    } finally {
      database.close()
    }
  } finally {
    for (const peer of peers) peer.stop()
    await customer.close()
    await on.close()
  }
}

/** From its log; undefined when nothing was open. */
function recoveryOf(log: readonly string[]): number {
  const line = log.find(each => each.includes('closed what an earlier end had left open'))
  return line === undefined ? 0 : (JSON.parse(line) as { tookMs: number }).tookMs
}

/** No call lives, and every callback has gone out. */
async function quiet(on: SwitchProcess): Promise<void> {
  await until(
    'the last call and the last callback',
    async () => {
      const text = String((await on.request(on.operatorKey, 'GET', '/metrics')).body)
      return /^sauti_calls_held 0$/m.test(text) && /^sauti_callbacks_queued 0$/m.test(text)
    },
    callbacksMs,
  )
}
