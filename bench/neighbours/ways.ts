/** What one account does at its worst. `seconds` of it are measured. */
export interface Way {
  readonly name: WayName
  readonly what: string
}

export const ways = [
  { name: 'lists', what: 'lists with `search` over 100,000 stored calls, 8 connections' },
  { name: 'pages', what: 'pages of 200 calls, 8 connections' },
  { name: 'portal', what: 'a session of the portal: search, summary, statement and events in turn, 8 connections' },
  { name: 'traces', what: 'traces of ended calls, as JSON and as text, 8 connections' },
  { name: 'bodies', what: 'JSON bodies of the largest size, parsed and refused, 8 connections' },
  { name: 'documents', what: 'hosted documents of 64 KB made and deleted, 8 connections' },
  { name: 'checks', what: 'documents of 1,000 verbs and 8,000 mistakes checked, 8 connections' },
  { name: 'documentPages', what: 'pages of 200 hosted documents of 64 KB each, 8 connections' },
  { name: 'simulations', what: 'documents simulated, 8 connections' },
  { name: 'huge', what: '10 calls a second whose documents have 64 KB and reject them' },
  { name: 'slow', what: '10 calls a second whose documents take 10 s' },
  { name: 'streams', what: '200 event streams opened again and again, from the first event' },
  { name: 'phones', what: '200 WebSockets to `/sip` opened again and again, a REGISTER with a wrong token on each' },
  { name: 'uploads', what: 'assets of 19 MB uploaded, 4 connections' },
  { name: 'downloads', what: 'an asset of 19 MB downloaded, 8 connections' },
  { name: 'webhooks', what: '10 calls a second whose status callbacks get no answer' },
  { name: 'names', what: '10 calls a second that are redirected to a name of their own which nobody resolves' },
  { name: 'sipNames', what: '10 calls a second that dial ten `<Sip>` hosts each which nobody resolves' },
  { name: 'digests', what: '500 REGISTER a second with wrong passwords' },
  { name: 'keys', what: 'wrong API keys, well formed, 8 connections' },
  { name: 'decks', what: 'the operator: rate decks of 1 MB, one after the other' },
] as const satisfies readonly { readonly name: string; readonly what: string }[]

export type WayName = (typeof ways)[number]['name']

/** The order to the process that does it. */
export interface WorstOrder {
  readonly way: WayName
  readonly baseUrl: string
  readonly sipPort: number
  readonly realm: string
  readonly key: string
  readonly operatorKey: string
  readonly number: string
}

/** The result. */
export interface WorstResult {
  readonly done: number
  /** How often which answer came. */
  readonly answers: Readonly<Record<string, number>>
}
