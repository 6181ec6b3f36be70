import type { Money } from '../model/money.ts'

/** An account's money. `held` is reserved for live calls. */
export interface Wallet {
  readonly balance: Money
  readonly held: Money
  readonly graceAmount: Money
  readonly creditLimit: Money
}

/** What can still be spent: wallet, grace and credit, less what live calls have reserved. May be negative. */
export const spendableOf = (wallet: Wallet): Money =>
  wallet.balance + wallet.graceAmount + wallet.creditLimit - wallet.held

/** Whether `amount` can be spent or reserved now. Nothing can always be: a free call needs no money. */
export const canSpend = (wallet: Wallet, amount: Money): boolean => amount === 0 || spendableOf(wallet) >= amount
