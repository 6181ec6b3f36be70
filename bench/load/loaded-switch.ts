import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'
import { defaultSettings } from '../../core/index.ts'
import { addTrunk, BedAccount, expectStatus, setRates } from '../../tests/rig/beds/account.ts'
import { SwitchProcess } from '../../tests/rig/beds/switch-process.ts'
import { Customer } from '../../tests/rig/peers/customer.ts'
import { Sipp } from '../../tests/rig/peers/sipp.ts'
import { freePort } from '../../tests/rig/probes/ports.ts'
import { sine } from '../../tests/rig/probes/tone.ts'
import { type BurstResult, burst } from '../overload/burst.ts'

export const loadKinds = {
  sip: 'a trunk calls, a hosted document plays a tone; no second leg',
  full: 'a trunk calls, a hosted document dials on to a trunk: hold, settlement, rows and events',
  webhook: 'the same, with the document from a web server and a status callback for each event',
} as const
export type LoadKind = keyof typeof loadKinds

/** Calls are refused for load as in a switch that is installed: the test bed's admits all unless it has such a flag. */
export const refusesForLoad = ['--admission-loop-delay', String(defaultSettings.admission.loopDelayMs)]

const callee = new URL('./callee', import.meta.url).pathname

/** A switch on the first processor as it is served, with all that calls of one kind need. */
export class LoadedSwitch {
  readonly on: SwitchProcess
  readonly customer: Customer
  readonly #account: BedAccount
  readonly #carrier: Sipp | undefined
  readonly #otherProcessors: string | undefined

  private constructor(
    on: SwitchProcess,
    customer: Customer,
    account: BedAccount,
    carrier: Sipp | undefined,
    others: string | undefined,
  ) {
    this.on = on
    this.customer = customer
    this.#account = account
    this.#carrier = carrier
    this.#otherProcessors = others
  }

  get number(): string {
    return this.#account.number
  }

  /**
   * `isAlone`: on the first processor, sipp on the others; else both where the system puts them. `flags`: more of
   * `sauti serve`; without `refusesForLoad` it admits every call.
   */
  static async open(
    kind: LoadKind,
    environment: Record<string, string> = {},
    isAlone = true,
    flags: readonly string[] = [],
  ): Promise<LoadedSwitch> {
    const others = isAlone && cpus().length > 1 ? `1-${cpus().length - 1}` : undefined
    const served = { SAUTI_LOG: 'info', SAUTI_MEDIA_WORKERS: '1', ...environment }
    const on = await SwitchProcess.start(served, '127.0.0.1', flags)
    const customer = await Customer.open()
    let carrier: Sipp | undefined
    try {
      if (others !== undefined) execFileSync('taskset', ['-acp', '0', String(on.pid)], { stdio: 'ignore' })
      await setRates(on)
      const account = await BedAccount.make(on, { balance: '1000000' })
      const caps = { max_concurrent_calls: 100_000, max_inbound_calls: 100_000, max_dialled_legs: 100_000 }
      expectStatus(
        await on.operator('PATCH', `/accounts/${account.uuid}`, { ...caps, max_calls_per_second: 1000 }),
        200,
      )
      await account.asset('tone', sine(440, 4))
      const calleePort = await freePort()
      await addTrunk(on, { name: 'carrier', port: calleePort, prefixes: ['+255'] })
      const dial = '<Dial><Number>+255700000001</Number></Dial>'
      if (kind === 'sip') await account.hosts('voice_inbound', '<Play asset="tone"/>')
      else {
        const forever = { calls: 100_000_000, timeoutSeconds: 86_400, trace: false }
        carrier = new Sipp({ scenario: callee, localPort: calleePort, rtpPort: 9, processors: others, ...forever })
        await carrier.listening()
        if (kind === 'full') await account.hosts('voice_inbound', dial)
        else {
          await account.webhook('voice_inbound', customer.on('/document', `<Response>${dial}</Response>`))
          await account.webhook(
            'status',
            customer.on('/status', (_post, response) => response.writeHead(200).end()),
          )
        }
      }
      return new LoadedSwitch(on, customer, account, carrier, others)
    } catch (fault) {
      carrier?.stop()
      await customer.close()
      await on.close()
      throw fault
    }
  }

  /** One rate for a number of seconds, from sipp on the other processors. */
  async offer(callsPerSecond: number, seconds: number, talkMs: number): Promise<BurstResult> {
    return burst({
      callsPerSecond,
      seconds,
      sipPort: this.on.sipPort,
      localPort: await freePort(),
      rtpPort: 9,
      number: this.number,
      talkMs,
      processors: this.#otherProcessors,
    })
  }

  async close(): Promise<void> {
    this.#carrier?.stop()
    await this.customer.close()
    await this.on.close()
  }
}
