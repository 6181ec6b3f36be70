import type { Lookup } from '../../contract/exchange-command.ts'
import type { Found } from '../../contract/exchange-event.ts'
import type { CallStore } from '../../ports/store.ts'

/** Answers a question of the exchange from the store. Rejects when the database fails. */
export async function lookUp(store: CallStore, query: Lookup): Promise<Found> {
  switch (query.kind) {
    case 'number-owner':
      return { kind: 'number-owner', owner: await store.numberOwner(query.number) }
    case 'placing': {
      const { accountId, from, to, user: key } = query
      const [account, number, owner, user, spendable] = await Promise.all([
        store.account(accountId),
        store.ownedNumber(accountId, from),
        to === '' ? undefined : store.numberOwner(to),
        key === undefined ? undefined : store.endUser(accountId, key),
        store.spendable(accountId),
      ])
      return { kind: 'placing', account, from: number, owner, user, spendable }
    }
    case 'softphone': {
      const { accountId, endUserUuid } = query
      const [account, user, number, spendable] = await Promise.all([
        store.account(accountId),
        store.endUser(accountId, endUserUuid),
        store.firstNumber(accountId),
        store.spendable(accountId),
      ])
      return { kind: 'softphone', account, user, number, spendable }
    }
  }
}
