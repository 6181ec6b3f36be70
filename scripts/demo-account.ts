import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { type AccountUuid, parseMoney, type Rate, type Repositories } from '../core/index.ts'

/** What `npm start` makes at its first start, and shows at every one. */
export interface Demo {
  readonly account: AccountUuid
  readonly key: string
  /** Greets, records and says goodbye. */
  readonly number: string
  readonly secondNumber: string
  /** Webhook URL of the document of both numbers. */
  readonly greetingUrl: string
}

type Kept = Demo & { readonly isComplete: boolean }

const keptFile = 'demo.json'
const balance = '1000'
const thisMachine = 'this machine'
const owned = ['+254700000101', '+254700000102'] as const
const pool = ['+254700000103', '+254700000104', '+254700000105'] as const
const poolFee = '50'
/** Where outbound calls of the demo go: any SIP client that listens there. */
export const demoPeer = { host: '127.0.0.1', port: 5070 } as const

const greeting = `<?xml version="1.0" encoding="UTF-8"?>
<Response>
  <Say>Hello, and welcome to Sauti. After the tone, say something. Press any key when you are done.</Say>
  <Record maxLength="30" timeout="4"/>
  <Say>Thank you. Your words are recorded. Goodbye.</Say>
  <Hangup/>
</Response>
`
const dialWhatWasDialled = `<?xml version="1.0" encoding="UTF-8"?>
<Response>
  <Dial><Number>{{To}}</Number></Dial>
</Response>
`

const money = (text: string): number => parseMoney(text) ?? 0
const outbound = (prefix: string, perMinute: string, incrementSeconds = 60): Rate => ({
  prefix,
  direction: 'outbound',
  ratePerMinute: money(perMinute),
  incrementSeconds,
  minimumSeconds: 0,
  connectionFee: 0,
})
const deck: readonly Rate[] = [
  outbound('+254', '3.00', 1),
  outbound('+2541', '2.50', 1),
  outbound('+255', '28.00'),
  outbound('+256', '18.00'),
  outbound('+250', '22.00'),
  outbound('+251', '25.00'),
  outbound('+27', '12.00'),
  outbound('+234', '16.00'),
  outbound('+971', '24.00'),
  outbound('+91', '5.00'),
  outbound('+86', '4.00'),
  outbound('+44', '6.00'),
  outbound('+49', '7.00'),
  outbound('+33', '7.00'),
  outbound('+1', '4.00'),
]

/**
 * The demo account of this data folder: made when the folder has no account yet, and finished when a first start was
 * interrupted. Undefined when the folder has accounts that are not ours to touch.
 */
export async function ensureDemo(repositories: Repositories, dataFolder: string): Promise<Demo | undefined> {
  const path = join(dataFolder, keptFile)
  const before = readKept(path)
  if (before?.isComplete === true) {
    await admitThisMachine(repositories)
    return before
  }
  if (before === undefined && (await repositories.accounts.list({ limit: 1, offset: 0 })).total > 0) return undefined
  const started = before ?? (await makeAccount(repositories, path))
  const greetingUrl = await furnish(repositories, started.account)
  const demo: Kept = { ...started, greetingUrl, isComplete: true }
  keep(path, demo)
  return demo
}

async function makeAccount(repositories: Repositories, path: string): Promise<Kept> {
  const { account, key } = await repositories.accounts.create(
    { name: 'Demo', walletBalance: money(balance) },
    Date.now(),
  )
  const [number, secondNumber] = owned
  const kept: Kept = { account: account.uuid, key, number, secondNumber, greetingUrl: '', isComplete: false }
  // Kept at once: the key is known only now.
  keep(path, kept)
  return kept
}

/** Every step looks whether it was done. Gives the URL of the greeting. */
async function furnish(repositories: Repositories, account: AccountUuid): Promise<string> {
  const { numbers, users, rates, trunks, webhookSettings } = repositories
  const now = Date.now()
  const greetingUrl = await host(repositories, account, 'Greet, record, say goodbye', greeting)
  const dialUrl = await host(repositories, account, 'Dial what was dialled', dialWhatWasDialled)
  await webhookSettings.change(account, { endpoint: { purpose: 'voice_inbound', url: greetingUrl } })
  await webhookSettings.change(account, { endpoint: { purpose: 'voice_outbound', url: dialUrl } })
  for (const number of owned) {
    const added = await numbers.add(number, 0, now)
    if (added !== undefined) await numbers.acquire(account, added.uuid, now)
  }
  for (const number of pool) await numbers.add(number, money(poolFee), now)
  await users.create(account, { email: 'amina@example.com', displayName: 'Amina' }, now)
  await users.create(account, { email: 'juma@example.com', displayName: 'Juma' }, now)
  if (rates.current().length === 0) await rates.replace(deck)
  const has = (name: string) => trunks.current().some(trunk => trunk.name === name)
  if (!has(thisMachine)) {
    await trunks.create({ name: thisMachine, inboundHosts: ['127.0.0.0/8', '::1/128'] }, now)
  }
  await admitThisMachine(repositories)
  if (!has('demo peer')) await trunks.create({ name: 'demo peer', ...demoPeer, prefixes: [''] }, now)
  return greetingUrl
}

/**
 * Many SIP clients (baresip among them) bind to the address of a network card, and call 127.0.0.1 from there. Looked
 * up at every start: such addresses change. A trunk that was removed stays so.
 */
async function admitThisMachine({ trunks }: Repositories): Promise<void> {
  const trunk = trunks.current().find(candidate => candidate.name === thisMachine)
  if (trunk === undefined) return
  const missing = ownAddresses().filter(address => !trunk.inboundHosts.includes(address))
  if (missing.length > 0) await trunks.change(trunk.uuid, { inboundHosts: [...trunk.inboundHosts, ...missing] })
}

const ownAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap(entries =>
    (entries ?? []).filter(entry => !entry.internal).map(entry => entry.address),
  )

async function host({ documents }: Repositories, account: AccountUuid, name: string, body: string): Promise<string> {
  const { rows } = await documents.list(account, { limit: 50, offset: 0 })
  const found = rows.find(document => document.name === name)
  return (found ?? (await documents.create(account, { name, body }, Date.now()))).url
}

function readKept(path: string): Kept | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Kept
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw fault
  }
}

/** Only this user may read it: it holds the account's key, so that the next start can show it again. */
function keep(path: string, kept: Kept): void {
  const temporary = `${path}.part`
  writeFileSync(temporary, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 })
  renameSync(temporary, path)
}
