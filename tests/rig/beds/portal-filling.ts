import { makeUser } from '../peers/browser-phone.ts'
import { SipWriter } from '../peers/sip-writer.ts'
import { sine } from '../probes/tone.ts'
import { until } from '../probes/wait.ts'
import { expectStatus } from './account.ts'
import type { SwitchBed } from './switch-bed.ts'

/** The uuids of what pages of their own are shown for. */
export interface Filling {
  /** Answered, recorded, with an asset played. */
  readonly call: string
  readonly failed: string
  /** Answered, though its document failed: the fallback spoke. */
  readonly fellBack: string
  readonly document: string
}

/** An account as it is after a first day: people, documents, a sound, calls that went and that failed, callbacks. */
export async function fill(bed: SwitchBed): Promise<Filling> {
  const { account, on, customer } = bed
  const post = async (path: string, body: unknown, status = 201) =>
    expectStatus(await account.api('POST', path, body), status).body
  await bed.tellStatus()
  await makeUser(account, 'Wanjiru wa Kamau-Nyambura Otieno')
  await makeUser(account, 'Juma')
  await account.asset('welcome', sine(440, 1))
  await account.asset('a-rather-long-slug-of-a-sound-that-somebody-has-uploaded', sine(660, 0.4))
  const menu = {
    name: 'Reception',
    body: '<Response><RecordSession/><Play asset="welcome"/><Pause length="9"/></Response>',
  }
  const document = await post('/documents/', menu)
  await post('/documents/', {
    name: 'A menu that somebody has begun and not finished',
    body: '<Response><Shout/></Response>',
  })
  const put = await account.api('PUT', `/documents/${document.uuid}`, { ...menu, name: 'Reception, by day' })
  expectStatus(put, 200)
  const changed = menu.body.replace('<Pause', '<Pause length="1"/><Pause')
  expectStatus(await account.api('PUT', `/documents/${document.uuid}`, { name: 'Reception', body: changed }), 200)
  await post('/numbers/configure', { uuid: account.numberUuid, friendly_name: 'Front desk' }, 200)
  await post('/keys/create', { name: 'billing program' })
  expectStatus(await on.operator('PUT', '/destinations', { blocked: ['+254900'], allowed: [] }), 200)
  expectStatus(await on.operator('POST', '/numbers', { number: '+254711000123', setup_fee: '50' }), 201)
  const peer = await SipWriter.open(bed.carrierPort, on.sipPort)
  try {
    await account.webhook('voice_inbound', document.url)
    const from = '"Amina Njeri" <sip:+254722000111@127.0.0.1>'
    await peer.call({ to: account.number, from, talkMs: 3000 })
    await account.webhook(
      'voice_inbound',
      customer.on('/broken', (_post, response) => response.writeHead(500).end()),
    )
    await peer.call({ to: account.number, from })
    const order = { to: '+254733000001', from: account.number, url: document.url }
    await post('/calls/originate', order)
    await until('the calls to end', async () => {
      const { body } = await account.api('GET', '/calls/')
      return body.calls.length === 3 && body.calls.every((call: { ended_at: unknown }) => call.ended_at !== null)
    })
  } finally {
    peer.close()
  }
  const { calls } = (await account.api('GET', '/calls/')).body
  // The oldest that fits: the first call is the one that has everything.
  const callOf = (fits: (call: { status: string; reason_code: string }) => boolean): string =>
    calls.findLast(fits)?.uuid ?? ''
  const newestCompleted = calls.find(({ status }: { status: string }) => status === 'completed')
  await until('callbacks', async () => (await account.api('GET', '/account/webhooks/deliveries')).body.length > 3)
  await until('the recording', async () => (await account.api('GET', '/recordings/')).body.length > 0)
  return {
    call: callOf(({ status }) => status === 'completed'),
    failed: callOf(({ status }) => status === 'failed'),
    fellBack: newestCompleted?.uuid ?? '',
    document: document.uuid,
  }
}
