import { signal } from '@preact/signals'
import createClient, { type Middleware } from 'openapi-fetch'
import type { AccountOverview, CurrentSessions, paths, SignedIn } from './api-types.ts'
import { faultOf } from './refused.ts'
import { noteServerDate } from './server-time.ts'
import { t } from './texts/index.ts'

// The public API and nothing else. The session's secret is in a cookie that no script reads; what stands here is only
// what proves that a request comes from this page.

export const sessions = signal<CurrentSessions | undefined>(undefined)

const sessionFor = (url: string): SignedIn | null | undefined =>
  new URL(url).pathname.startsWith('/operator/') ? sessions.value?.operator : sessions.value?.customer

const withFormToken: Middleware = {
  onRequest({ request }) {
    const session = sessionFor(request.url)
    if (session) request.headers.set('x-sauti-csrf', session.form_token)
    return request
  },
  async onResponse({ request, response }) {
    noteServerDate(response.headers.get('date'))
    if (response.status === 401 && !request.url.includes('/portal/session')) await loadSessions()
    return undefined
  },
  // `fetch` says "Failed to fetch", whatever was in the way.
  onError: () => new Error(t('noServerAnswer')),
}

export const api = createClient<paths>({ baseUrl: location.origin, credentials: 'same-origin' })
api.use(withFormToken)

/** For what is no JSON: the bytes of audio. */
export const fetchBytes = (url: string, init: RequestInit = {}): Promise<Response> => {
  const session = sessionFor(new URL(url, location.origin).href)
  const headers = {
    ...(init.headers as Record<string, string>),
    ...(session ? { 'x-sauti-csrf': session.form_token } : {}),
  }
  return fetch(url, { ...init, headers, credentials: 'same-origin' }).catch(() => {
    throw new Error(t('noServerAnswer'))
  })
}

/** A switch that restarts, or that has too much to do, is asked again: who is signed in would be shown the way in else. */
const sessionTries = 4
const triedEveryMs = 400

const letGos = new Set<() => void>()

/** What the tab holds beyond a page, as its phone, must not be there for the next one who signs in: it is let go of then. */
export function whenCustomerLeaves(letGo: () => void): void {
  letGos.add(letGo)
}

export async function loadSessions(): Promise<void> {
  for (let tried = 1; ; tried++) {
    const data = (await takeStarted()) ?? (await askSessions())
    if (data === undefined && tried < sessionTries) await new Promise(resolve => setTimeout(resolve, triedEveryMs))
    else {
      first = data?.overview && { overview: data.overview, at: performance.now() }
      const before = sessions.value
      const now = data ?? { customer: null, operator: null }
      if (before?.customer && before.customer.session !== now.customer?.session) for (const letGo of letGos) letGo()
      sessions.value = now
      noteEnded('customer', before)
      noteEnded('operator', before)
      return
    }
  }
}

/** Sessions that ended by themselves: their time was over, they were revoked, or the switch does not answer. */
export const endedSessions = signal<ReadonlySet<'customer' | 'operator'>>(new Set())

function noteEnded(kind: 'customer' | 'operator', before: CurrentSessions | undefined): void {
  const others = [...endedSessions.value].filter(each => each !== kind)
  if (sessions.value?.[kind]) endedSessions.value = new Set(others)
  else if (before?.[kind]) endedSessions.value = new Set([...others, kind])
}

/** What `start.ts` has asked for. */
function takeStarted(): Promise<CurrentSessions | undefined> {
  const asked = globalThis.started ?? Promise.resolve(undefined)
  globalThis.started = undefined
  return asked
}

/** Came with the session. */
let first: { readonly overview: AccountOverview; readonly at: number } | undefined
/** Where another page than home was opened first, it is old when home is. */
const firstIsGoodMs = 2000

export function takeFirstOverview(): AccountOverview | undefined {
  const taken = first
  first = undefined
  return taken !== undefined && performance.now() - taken.at < firstIsGoodMs ? taken.overview : undefined
}

export const overview = (): Promise<AccountOverview> => must(api.GET('/account/overview', {}))

const askSessions = async () => (await api.GET('/portal/session', {}).catch(() => ({ data: undefined }))).data

export async function signIn(body: { key: string } | { link: string }): Promise<Error | undefined> {
  const { data, error } = await api.POST('/portal/session', { body }).catch(error => ({ data: undefined, error }))
  if (data === undefined) return faultOf(error)
  await loadSessions()
  return undefined
}

export async function signOut(kind: 'customer' | 'operator'): Promise<void> {
  const session = sessions.value?.[kind]
  await fetch(`/portal/session?kind=${kind}`, {
    method: 'DELETE',
    headers: session ? { 'x-sauti-csrf': session.form_token } : {},
  })
  await loadSessions()
  endedSessions.value = new Set([...endedSessions.value].filter(each => each !== kind))
}

/** The answer, or an error with what the API refuses. */
export async function must<T>(asked: Promise<{ data?: T; error?: unknown }>): Promise<T> {
  const { data, error } = await asked
  if (data === undefined) throw faultOf(error)
  return data
}
