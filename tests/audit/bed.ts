import { WebSocket } from 'ws'
import { addTrunk, BedAccount, expectStatus } from '../rig/beds/account.ts'
import { SwitchProcess } from '../rig/beds/switch-process.ts'
import { freePort } from '../rig/probes/ports.ts'
import { until } from '../rig/probes/wait.ts'
import { plainSdp, SipPeer } from './sip-peer.ts'

/** The carrier that sends calls, and the one that takes them; both are trunks. */
export const callerAddress = '127.0.1.1'
export const carrierAddress = '127.0.1.2'
/** Addresses that the switch does not know. */
export const unknownAddress = '127.0.2.1'

export interface AuditEvent {
  readonly code: string
  readonly sid: string
  readonly data: Record<string, any>
}

/** A switch as it is served, with private addresses closed, an account, and a carrier on each side. */
export class AuditBed {
  readonly sauti: SwitchProcess
  readonly account: BedAccount
  readonly caller: SipPeer
  readonly carrier: SipPeer
  readonly events: AuditEvent[] = []
  readonly #stream: WebSocket

  private constructor(sauti: SwitchProcess, account: BedAccount, caller: SipPeer, carrier: SipPeer, stream: WebSocket) {
    this.sauti = sauti
    this.account = account
    this.caller = caller
    this.carrier = carrier
    this.#stream = stream
    stream.on('message', bytes => this.events.push(JSON.parse(String(bytes))))
  }

  static async open(env: Record<string, string> = {}, flags: readonly string[] = []): Promise<AuditBed> {
    const sauti = await SwitchProcess.start(
      { SAUTI_ALLOW_PRIVATE_URLS: '0', SAUTI_LOG: 'info', ...env },
      '127.0.0.1',
      flags,
    )
    const account = await BedAccount.make(sauti)
    const caller = await SipPeer.open(sauti.sipPort, callerAddress)
    const carrier = await SipPeer.open(sauti.sipPort, carrierAddress, await freePort())
    carrier.answer = answerCalls
    await addTrunk(sauti, { name: 'caller', port: caller.port, host: callerAddress, prefixes: [], inbound: false })
    const trunks = (await sauti.operator('GET', '/trunks')).body.trunks as { uuid: string; name: string }[]
    const inbound = trunks.find(trunk => trunk.name === 'caller')?.uuid
    expectStatus(await sauti.operator('PATCH', `/trunks/${inbound}`, { inbound_hosts: [callerAddress] }), 200)
    await addTrunk(sauti, {
      name: 'carrier',
      host: carrierAddress,
      port: carrier.port,
      prefixes: ['+'],
      inbound: false,
      username: 'sauti',
      password: 'trunk-password',
    })
    expectStatus(
      await sauti.operator('PUT', '/rates', {
        rates: ['+2', '+9'].map(prefix => ({ prefix, direction: 'outbound', rate_per_minute: '3' })),
      }),
      200,
    )
    const token = expectStatus(await account.api('POST', '/stream/token'), 200).body.token
    const stream = new WebSocket(`${sauti.baseUrl.replace('http', 'ws')}/stream?token=${token}`)
    await new Promise((resolve, reject) => stream.once('open', resolve).once('error', reject))
    return new AuditBed(sauti, account, caller, carrier, stream)
  }

  /** A new number of the account whose calls run these verbs. */
  async number(verbs: string): Promise<string> {
    const number = `+2547${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`
    const pool = expectStatus(await this.sauti.operator('POST', '/numbers', { number }), 201)
    expectStatus(await this.account.api('POST', '/numbers/acquire', { uuid: pool.body.uuid }), 200)
    const url = await this.account.document(verbs)
    expectStatus(
      await this.account.api('POST', '/numbers/configure', {
        uuid: pool.body.uuid,
        webhook_urls: { voice_inbound: url },
      }),
      200,
    )
    return number
  }

  /** The first event that fits, also one that came before. */
  event(code: string, fits: (event: AuditEvent) => boolean = () => true, ms = 10_000): Promise<AuditEvent> {
    return until(code, () => this.events.find(event => event.code === code && fits(event)), ms)
  }

  /** Calls that live now, with their legs. */
  async live(): Promise<readonly any[]> {
    return expectStatus(await this.sauti.operator('GET', '/calls'), 200).body.calls
  }

  /** Nothing lives any more. */
  async idle(): Promise<void> {
    await until('all calls to end', async () => (await this.live()).length === 0, 60_000)
  }

  async close(): Promise<void> {
    this.#stream.terminate()
    this.caller.close()
    this.carrier.close()
    await this.sauti.close()
  }
}

/** Rings, answers with its own address, and agrees to everything else. */
export function answerCalls(request: Parameters<SipPeer['respond']>[0], peer: SipPeer): void {
  if (request.method === 'INVITE') peer.respond(request, 200, [], plainSdp(peer.address, 4002))
  else peer.respond(request, 200)
}
