import { RateDeck } from '../../../core/billing/rate-deck.ts'
import type { ExchangeCommand } from '../../../core/contract/exchange-command.ts'
import type { ExchangeEvent, Found } from '../../../core/contract/exchange-event.ts'
import { Exchange } from '../../../core/exchange/exchange.ts'
import type { AccountProfile } from '../../../core/model/account.ts'
import type { LegUuid, TrunkUuid } from '../../../core/model/ids.ts'
import { acme, own, rate } from './acme.ts'
import { DialHost } from './dial-host.ts'

const number = '+254700000001'
const legId = 'caller' as LegUuid
const account: AccountProfile = {
  ...acme,
  maxInboundCalls: 1,
  maxConcurrentCalls: 1,
  endpoints: { ...acme.endpoints, voice_outbound: 'https://acme.test/out' },
}
const user = { uuid: 'user', email: 'a@acme.test', displayName: 'A', extensionNumber: '1001', isActive: true }

/** What can happen to a caller until it rings. */
export const callerInputs = [
  'found',
  'nobody',
  'suspended',
  'stored',
  'no funds',
  'commit fails',
  'lookup fails',
  'hang up',
  'drain',
] as const
export type CallerBedInput = (typeof callerInputs)[number]

/** One caller at an exchange, and every answer of the store given by the test. Time stands still. */
export class CallerBed {
  readonly #exchange: Exchange
  readonly #isPhone: boolean
  readonly #done: string[] = []
  #lookup: Extract<ExchangeCommand, { type: 'store.lookup' }> | undefined
  #commit: Extract<ExchangeCommand, { type: 'store.commit' }> | undefined

  /**
   * `isPhone`: a softphone calls, else a caller by a trunk, whose number is paid for by the minute. `isHosted`: its document is
   * the switch's own.
   */
  constructor(isPhone: boolean, isHosted = false) {
    this.#isPhone = isPhone
    const { env } = new DialHost(0)
    this.#exchange = new Exchange({
      ...env,
      isHosted: () => isHosted,
      deck: () => new RateDeck([rate('+254', { direction: 'inbound' })]),
    })
    const offer = {
      type: 'leg.offered',
      legId,
      from: { user: isPhone ? '1001' : '+254711111111', displayName: '' },
    } as const
    const endUser = { endUserUuid: user.uuid, accountUuid: acme.uuid, tokenUuid: 'token', maxConcurrent: 1 }
    if (isPhone) this.#handle({ ...offer, endUser, to: '1002', sdp: 'offer' })
    else this.#handle({ ...offer, trunkId: 'one' as TrunkUuid, to: number, sdp: 'offer' })
  }

  /** The places under the account's caps are free, and nothing is left of the call. */
  get isGone(): boolean {
    return this.#exchange.isEmpty
  }

  /** What it commands at the input, in order; empty when it is absorbed. */
  give(input: CallerBedInput): string {
    this.#done.length = 0
    this.#give(input)
    return this.#done.join(' ')
  }

  #give(input: CallerBedInput): void {
    switch (input) {
      case 'found':
        this.#found(account)
        return
      case 'nobody':
        this.#found(undefined)
        return
      case 'suspended':
        this.#found({ ...account, status: 'suspended' })
        return
      case 'lookup fails':
        if (this.#lookup !== undefined)
          this.#handle({ ...this.#lookup, type: 'store.lookup-failed', detail: 'made so' })
        return
      case 'stored':
        if (this.#commit !== undefined) this.#handle({ ...this.#commit, type: 'store.committed', result: { ok: true } })
        return
      case 'no funds': {
        const result = { ok: false, refused: 'insufficient-funds' } as const
        if (this.#commit !== undefined) this.#handle({ ...this.#commit, type: 'store.committed', result })
        return
      }
      case 'commit fails':
        if (this.#commit !== undefined)
          this.#handle({ ...this.#commit, type: 'store.commit-failed', detail: 'made so' })
        return
      case 'hang up':
        this.#handle({ type: 'leg.ended', legId, cause: { kind: 'cancel' } })
        return
      case 'drain':
        this.#handle({ type: 'exchange.drain', deadline: 0 })
        // The deadline of the drain, then that of each call.
        while ((this.#exchange.deadline() ?? 1) <= 0) this.#write(this.#exchange.timeout(0))
        return
    }
  }

  #found(of: AccountProfile | undefined): void {
    if (this.#lookup === undefined) return
    const owner = of && { account: of, number: own(number) }
    const found: Found = this.#isPhone
      ? { kind: 'softphone', account: of, user: of && user, number: of && own(number), spendable: 1_000_000 }
      : { kind: 'number-owner', owner }
    this.#handle({ type: 'store.found', callId: this.#lookup.callId, lookupId: this.#lookup.lookupId, found })
  }

  #handle(event: ExchangeEvent): void {
    this.#write(this.#exchange.handle(event, 0))
  }

  #write(commands: readonly ExchangeCommand[]): void {
    for (const command of commands) this.#done.push(this.#wordOf(command))
  }

  #wordOf(command: ExchangeCommand): string {
    if (command.type === 'store.lookup') this.#lookup = command
    if (command.type === 'leg.end') return `leg.end(${command.reason})`
    if (command.type !== 'store.commit') return command.type
    this.#commit = command
    const labels = command.unit.map(change => (change.type === 'event.append' ? change.event.code : change.type))
    return `commit(${labels.join(',')})`
  }
}
