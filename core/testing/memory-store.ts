import type { Lookup } from '../contract/exchange-command.ts'
import type { Found } from '../contract/exchange-event.ts'
import type { VoiceEvent } from '../events/voice-event.ts'
import type { AccountProfile, EndUserProfile, NumberOwner, OwnedNumber } from '../model/account.ts'
import { assertNever } from '../model/assert-never.ts'
import type { CallRecord, LegRecord, RecordingRecord } from '../model/call-record.ts'
import type { AccountUuid, CallUuid, HoldUuid, LegUuid } from '../model/ids.ts'
import type { Money } from '../model/money.ts'
import type { Change, CommitResult, Hold } from '../ports/store.ts'

interface StoredAccount {
  profile: AccountProfile
  balance: Money
  held: Money
}

interface StoredHold extends Hold {
  amount: Money
  charge: Money | undefined
  talkSeconds: number
}

/** A store in memory that is as strict as the real one: what it is asked to do wrongly throws. */
export class MemoryStore {
  readonly accounts = new Map<AccountUuid, StoredAccount>()
  readonly numbers = new Map<string, { account: AccountUuid; number: OwnedNumber }>()
  readonly calls = new Map<CallUuid, CallRecord>()
  readonly legs = new Map<LegUuid, LegRecord>()
  readonly holds = new Map<HoldUuid, StoredHold>()
  readonly recordings = new Map<string, RecordingRecord>()
  readonly events: VoiceEvent[] = []
  /** End-users by uuid, by extension and by email. */
  readonly users = new Map<string, EndUserProfile>()
  readonly units: (readonly Change[])[] = []

  addAccount(profile: AccountProfile, balance: Money): void {
    this.accounts.set(profile.uuid, { profile, balance, held: 0 })
  }

  /** The only call, or the one that `pick` finds. */
  call(pick: (call: CallRecord) => boolean = () => true): CallRecord {
    const found = [...this.calls.values()].filter(pick)
    if (found.length !== 1) throw new Error(`${found.length} calls instead of one`)
    return found[0]!
  }

  /** Money that left the wallets, and what the holds say was charged. */
  get charged(): Money {
    return [...this.holds.values()].reduce((sum, hold) => sum + (hold.charge ?? 0), 0)
  }

  ownerOf(number: string): NumberOwner | undefined {
    const entry = this.numbers.get(number)
    return entry && { account: this.accounts.get(entry.account)!.profile, number: entry.number }
  }

  /** Answers a question of the exchange. */
  lookUp(query: Lookup): Found {
    if (query.kind === 'number-owner') return { kind: 'number-owner', owner: this.ownerOf(query.number) }
    if (query.kind === 'softphone') {
      return {
        kind: 'softphone',
        account: this.accounts.get(query.accountId)?.profile,
        user: this.users.get(query.endUserUuid),
        number: [...this.numbers.values()].find(({ account, number }) => account === query.accountId && number.isActive)
          ?.number,
        spendable: this.#spendable(query.accountId),
      }
    }
    return {
      kind: 'placing',
      account: this.accounts.get(query.accountId)?.profile,
      from: this.#owned(query.accountId, query.from),
      instead: query.instead === undefined ? undefined : this.#owned(query.accountId, query.instead),
      owner: this.ownerOf(query.to),
      user: query.user === undefined ? undefined : this.users.get(query.user),
      spendable: query.withSpendable ? this.#spendable(query.accountId) : undefined,
    }
  }

  #owned(accountId: AccountUuid, e164: string): OwnedNumber | undefined {
    const entry = this.numbers.get(e164)
    return entry?.account === accountId ? entry.number : undefined
  }

  #spendable(accountId: AccountUuid): number {
    const { profile, balance = 0, held = 0 } = this.accounts.get(accountId) ?? {}
    return balance - held + (profile?.graceAmount ?? 0) + (profile?.creditLimit ?? 0)
  }

  commit(unit: readonly Change[]): CommitResult {
    // Refusals come before any effect: the fake checks money first, in order, and undoes nothing.
    const wanted = new Map<AccountUuid, Money>()
    for (const change of unit) {
      if (change.type === 'call.exists' && !this.calls.has(change.uuid)) return { ok: false, refused: 'unknown-call' }
      if (change.type !== 'hold.open' && change.type !== 'hold.grow') continue
      const account = change.type === 'hold.open' ? change.hold.accountUuid : this.#hold(change.uuid).accountUuid
      const amount = change.type === 'hold.open' ? change.hold.amount : change.amount
      const sum = (wanted.get(account) ?? 0) + amount
      wanted.set(account, sum)
      const { balance, held, profile } = this.accounts.get(account)!
      if (amount > 0 && balance + profile.graceAmount + profile.creditLimit - held < sum) {
        return { ok: false, refused: 'insufficient-funds' }
      }
    }
    this.units.push(unit)
    for (const change of unit) this.#apply(change)
    return { ok: true }
  }

  #hold(uuid: HoldUuid): StoredHold {
    const hold = this.holds.get(uuid)
    if (hold === undefined) throw new Error(`there is no hold ${uuid}`)
    if (hold.charge !== undefined) throw new Error(`hold ${uuid} is settled`)
    return hold
  }

  #apply(change: Change): void {
    switch (change.type) {
      case 'call.insert':
        if (this.calls.has(change.call.uuid)) throw new Error('a call twice')
        this.calls.set(change.call.uuid, change.call)
        return
      case 'call.exists':
        return
      case 'call.update': {
        const call = this.calls.get(change.uuid)
        if (call === undefined) throw new Error('an update of no call')
        if (call.status === 'completed' || call.status === 'failed') throw new Error('nothing leaves the end')
        // The cost is the sum of the settlements: the store alone writes it.
        if ('cost' in change.set) throw new Error('cost is not written')
        this.calls.set(change.uuid, { ...call, ...change.set })
        return
      }
      case 'leg.insert':
        if (this.legs.has(change.leg.uuid)) throw new Error('a leg twice')
        if (!this.calls.has(change.leg.callUuid)) throw new Error('a leg without a call')
        this.legs.set(change.leg.uuid, change.leg)
        return
      case 'leg.update': {
        const leg = this.legs.get(change.uuid)
        if (leg === undefined) throw new Error('an update of no leg')
        this.legs.set(change.uuid, { ...leg, ...change.set })
        return
      }
      case 'hold.open':
        if (this.holds.has(change.hold.uuid)) throw new Error('a hold twice')
        if (!this.legs.has(change.hold.legUuid)) throw new Error('a hold without a leg')
        this.holds.set(change.hold.uuid, { ...change.hold, charge: undefined, talkSeconds: 0 })
        this.accounts.get(change.hold.accountUuid)!.held += change.hold.amount
        return
      case 'hold.grow': {
        const hold = this.#hold(change.uuid)
        hold.amount += change.amount
        this.accounts.get(hold.accountUuid)!.held += change.amount
        return
      }
      case 'hold.settle': {
        const hold = this.#hold(change.uuid)
        hold.charge = change.charge
        hold.talkSeconds = change.talkSeconds
        const account = this.accounts.get(hold.accountUuid)!
        account.held -= hold.amount
        account.balance -= change.charge
        const call = this.calls.get(hold.callUuid)!
        this.calls.set(call.uuid, { ...call, cost: call.cost + change.charge })
        return
      }
      case 'event.append':
        this.events.push(change.event)
        return
      case 'recording.insert':
        this.recordings.set(change.recording.uuid, change.recording)
        return
      case 'recording.update':
        this.recordings.set(change.uuid, { ...this.recordings.get(change.uuid)!, ...change.set })
        return
      case 'idempotency.placed':
        return
      default:
        assertNever(change)
    }
  }
}
