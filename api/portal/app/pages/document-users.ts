/** What runs a document: numbers, and what the account does by default. */
export interface DocumentUsers {
  readonly numbers: readonly string[]
  readonly purposes: readonly Purpose[]
}

const purposes = ['voice_inbound', 'voice_outbound', 'status'] as const
type Purpose = (typeof purposes)[number]
type Urls = Readonly<Record<Purpose, string>>

/** `numbers`: with the URL that their calls go to, their own or the account's. */
export const usersOf = (
  url: string,
  numbers: readonly { readonly number: string; readonly webhook_inbound: { readonly url: string } }[],
  defaults: Urls,
): DocumentUsers => ({
  numbers: numbers.filter(each => each.webhook_inbound.url === url).map(each => each.number),
  purposes: purposes.filter(purpose => defaults[purpose] === url),
})
