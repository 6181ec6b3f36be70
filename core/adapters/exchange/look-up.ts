import type { Lookup } from '../../call/exchange-command.ts'
import type { Found } from '../../call/exchange-event.ts'
import type { CallStore } from '../../ports/store.ts'

/** Answers a question of the exchange from the store. Rejects when the database fails. */
export async function lookUp(store: CallStore, query: Lookup): Promise<Found> {
  switch (query.kind) {
    case 'number-owner': {
      for (const candidate of query.candidates) {
        const owner = await store.numberOwner(candidate)
        if (owner !== undefined) return { kind: 'number-owner', owner }
      }
      return { kind: 'number-owner', owner: undefined }
    }
    case 'placing': {
      const { accountId, from, to } = query
      const [account, number, owner] = await Promise.all([
        store.account(accountId),
        store.ownedNumber(accountId, from),
        to === '' ? undefined : store.numberOwner(to),
      ])
      return { kind: 'placing', account, from: number, owner }
    }
  }
}
