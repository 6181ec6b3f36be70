import { Customer } from '../peers/customer.ts'
import { Sipp, type SippOptions } from '../peers/sipp.ts'
import { freePort } from '../probes/ports.ts'
import { addTrunk, BedAccount, setRates } from './account.ts'
import { SwitchProcess } from './switch-process.ts'

export interface BedOptions {
  /** Settings of the switch beside those of the bed. */
  readonly env?: Record<string, string>
  /** Flags of `sauti serve`, for settings that have no environment variable. */
  readonly flags?: readonly string[]
  /** Where its HTTP is. Default 127.0.0.1. */
  readonly httpAddress?: string
  /** Of the account. Default 1000. */
  readonly balance?: string
  /** What the carrier's trunk is dialled for. Default: there is no trunk. */
  readonly prefixes?: readonly string[]
}

/** What a carrier's caller is known by, where a test says nothing else. */
export const outsideCaller = '+254722000111'

/** A switch with rates, an account with money, the customer's web server and, where it is wanted, a carrier's trunk. */
export class SwitchBed {
  readonly on: SwitchProcess
  readonly account: BedAccount
  readonly customer: Customer
  /** The carrier's port: no program listens there until a test starts one. */
  readonly carrierPort: number
  #destinations = 0

  private constructor(on: SwitchProcess, account: BedAccount, customer: Customer, carrierPort: number) {
    this.on = on
    this.account = account
    this.customer = customer
    this.carrierPort = carrierPort
  }

  static async open({ env, flags, httpAddress, balance, prefixes }: BedOptions = {}): Promise<SwitchBed> {
    const on = await SwitchProcess.start(env, httpAddress, flags)
    await setRates(on)
    const account = await BedAccount.make(on, balance === undefined ? {} : { balance })
    const port = await freePort()
    if (prefixes !== undefined) await addTrunk(on, { name: 'carrier', port, prefixes })
    return new SwitchBed(on, account, await Customer.open(), port)
  }

  /** A number through a trunk of its own, to which nothing listens yet. */
  async destination(): Promise<{ readonly number: string; readonly port: number }> {
    const number = `+25473300${String(++this.#destinations).padStart(4, '0')}`
    const port = await freePort()
    await addTrunk(this.on, { name: `to ${number}`, port, prefixes: [number], inbound: false })
    return { number, port }
  }

  /** The account's status callbacks go to the customer's `/status`. */
  async tellStatus(): Promise<void> {
    const url = this.customer.on('/status', (_post, response) => response.writeHead(200).end())
    await this.account.webhook('status', url)
  }

  /** The carrier calls the account's number. */
  async caller(options: Partial<SippOptions> = {}): Promise<Sipp> {
    return new Sipp({
      scenario: 'caller',
      remote: `127.0.0.1:${this.on.sipPort}`,
      localPort: await freePort(),
      rtpPort: options.rtpPort ?? (await freePort()),
      service: this.account.number,
      from: outsideCaller,
      ...options,
    })
  }

  /** Starts a callee where the carrier is dialled. */
  async callee(options: Partial<SippOptions> = {}): Promise<Sipp> {
    const rtpPort = options.rtpPort ?? (await freePort())
    const made = new Sipp({ scenario: 'callee', localPort: this.carrierPort, rtpPort, ...options })
    await made.listening()
    return made
  }

  async close(): Promise<void> {
    await this.customer.close()
    await this.on.close()
  }
}
