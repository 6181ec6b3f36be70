import { sine, wavOf } from '../../tests/rig/probes/tone.ts'
import { answeredCalls } from './call-ways.ts'
import type { WayName } from './ways.ts'
import type { Work } from './work.ts'

const connections = 8
const uploads = 4
const largestBody = 63 * 1024
const largestDocument = 64 * 1024 - 100
const assetSeconds = 19 * 65
const documentsOfAPage = 200
const storedPages = 400

const document = (verbs: string): string =>
  JSON.stringify({ name: 'd', body: `<Response>${verbs}</Response>`.padEnd(largestDocument, ' ') })
const mostVerbs = 1000
const mistaken = '<Say a="" b="" c="" d="" e="" f="" g="" h=""/>'
const asset = () => new Uint8Array(wavOf(sine(440, assetSeconds)))
const audio = { 'content-type': 'audio/wav' }

export const httpWays = {
  lists: work => work.sideBySide(connections, at => work.ask('GET', `/calls/?search=${99_900 + (at % 100)}&limit=200`)),

  pages: work =>
    work.sideBySide(connections, at => work.ask('GET', `/calls/?limit=200&offset=${(at % storedPages) * 200}`)),

  portal: async work => {
    const { baseUrl, key } = work.order
    const signedIn = await fetch(`${baseUrl}/portal/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key }),
    })
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
    const { form_token } = (await signedIn.json()) as { form_token: string }
    const headers = { cookie, 'x-sauti-csrf': form_token }
    const pages = ['/calls/?search=99&limit=200', '/calls/summary?hours=720', '/account/ledger?limit=200', '/events/']
    await work.sideBySide(connections, at => work.ask('GET', pages[at % pages.length]!, { key: '', headers }))
  },

  traces: async work => {
    await answeredCalls(work, 20)
    const listed = await work.ask('GET', '/calls/?limit=10')
    const calls = (listed?.calls ?? []) as readonly { readonly uuid: string }[]
    const format = (at: number) => (at % 2 === 0 ? 'json' : 'text')
    await work.sideBySide(connections, at =>
      work.ask('GET', `/calls/${calls[at % calls.length]?.uuid}/trace?format=${format(at)}`, { isDropped: true }),
    )
  },

  bodies: work => {
    const customPayload = Object.fromEntries(Array.from({ length: largestBody / 12 }, (_, at) => [`k${at}`, at % 10]))
    const { baseUrl, number } = work.order
    const body = JSON.stringify({ to: '+255700000001', from: number, url: `${baseUrl}/x`, customPayload })
    return work.sideBySide(connections, () =>
      work.ask('POST', '/calls/originate', { body: body.slice(0, largestBody).padEnd(largestBody, ' ') }),
    )
  },

  documents: work =>
    work.sideBySide(connections, async () => {
      const made = await work.ask('POST', '/documents/', { body: document('<Say>a</Say>'.repeat(80)) })
      if (made?.uuid !== undefined) await work.ask('DELETE', `/documents/${made.uuid}`)
    }),

  checks: work => {
    const body = document(mistaken.repeat(mostVerbs))
    return work.sideBySide(connections, () => work.ask('POST', '/documents/check', { body, isDropped: true }))
  },

  documentPages: async work => {
    for (let made = 0; made < documentsOfAPage && !work.isOver; made += connections)
      await Promise.all(
        Array.from({ length: connections }, () =>
          work.ask('POST', '/documents/', { body: document('<Say>a</Say>'.repeat(mostVerbs)) }),
        ),
      )
    await work.sideBySide(connections, () => work.ask('GET', '/documents/?limit=200', { isDropped: true }))
  },

  simulations: work => {
    const body = JSON.stringify({ body: `<Response>${'<Say>a</Say>'.repeat(900)}</Response>` })
    return work.sideBySide(connections, () => work.ask('POST', '/documents/simulate', { body, isDropped: true }))
  },

  uploads: work => {
    const body = asset()
    return work.sideBySide(uploads, at => work.ask('PUT', `/assets/large-${at % uploads}`, { body, headers: audio }))
  },

  downloads: async work => {
    await work.ask('PUT', '/assets/large', { body: asset(), headers: audio })
    await work.sideBySide(connections, () => work.ask('GET', '/assets/large', { isDropped: true }))
  },

  keys: work =>
    work.sideBySide(connections, at =>
      work.ask('GET', '/calls/?limit=1', { key: `vk_wrong123_${String(at).padStart(43, '0')}` }),
    ),

  decks: work => {
    const rates = Array.from({ length: 12_000 }, (_, at) => ({
      prefix: `+9${at}`,
      direction: 'outbound',
      rate_per_minute: '3.25',
      increment_seconds: 60,
    }))
    const known = [
      { prefix: '+254', direction: 'outbound', rate_per_minute: '3' },
      { prefix: '+255', direction: 'outbound', rate_per_minute: '12' },
    ]
    const body = JSON.stringify({ rates: [...known, ...rates] })
    const key = work.order.operatorKey
    return work.sideBySide(1, () => work.ask('PUT', '/operator/rates', { key, body, isDropped: true }))
  },
} satisfies Partial<Record<WayName, (work: Work) => Promise<void>>>
