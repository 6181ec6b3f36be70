import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ApiBed, operatorKey, type Reply } from './bed/api-bed.ts'
import { isOfSessions } from './bed/portal-paths.ts'

// Sessions of the portal: what opens one, what it is good for, what ends it, and that no other site can use it.

const bed = await ApiBed.open()
const other = (await bed.operator('POST', '/operator/accounts', { name: 'Other' })).body
const browser = { origin: 'http://voice.test', 'sec-fetch-site': 'same-origin', 'user-agent': 'Browser <b>1</b>' }

interface Signed {
  readonly cookie: string
  readonly token: string
  readonly uuid: string
}

async function signIn(body: object): Promise<Signed> {
  const reply = await bed.conforming('POST', '/portal/session', { key: '', body, headers: browser })
  assert.is(reply.status, 201)
  return { cookie: cookieOf(reply), token: reply.body.form_token, uuid: reply.body.session }
}

const cookieOf = (reply: Reply): string => String(reply.headers['set-cookie']).split(';')[0] ?? ''
const headersOf = ({ cookie, token }: Signed, more: Record<string, string> = {}) => ({
  ...browser,
  cookie,
  'x-sauti-csrf': token,
  ...more,
})
const as = (signed: Signed, method: string, url: string, body?: unknown, more: Record<string, string> = {}) =>
  bed.conforming(method, url, { key: '', headers: headersOf(signed, more), ...(body === undefined ? {} : { body }) })

test('a key is exchanged for a cookie that scripts cannot read, of this site alone', async () => {
  const reply = await bed.conforming('POST', '/portal/session', { key: '', body: { key: bed.key }, headers: browser })
  assert.match(
    String(reply.headers['set-cookie']),
    /^sauti_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
  )
  assert.is(reply.headers['cache-control'], 'no-store')
  assert.not.match(reply.text, /vk_/)
  const signed = { cookie: cookieOf(reply), token: reply.body.form_token, uuid: reply.body.session }
  assert.is((await as(signed, 'GET', '/account/')).body.uuid, bed.accountUuid)
  assert.is((await as(signed, 'POST', '/users/create', { email: 'a@example.com' })).status, 201)
  const rows = bed.store.database.all(bed.store.database.sql.selectFrom('portal_sessions').selectAll())
  assert.not.match(JSON.stringify(rows), new RegExp(signed.cookie.split('=')[1] ?? ''))
})

test('wrong keys and links open nothing, and are counted', async () => {
  for (const body of [{ key: 'vk_wrong' }, { link: 'A'.repeat(43) }, { key: '' }])
    assert.is((await bed.conforming('POST', '/portal/session', { key: '', body, headers: browser })).status, 401)
  for (const body of [{}, { key: 'a', link: 'b' }])
    assert.is((await bed.conforming('POST', '/portal/session', { key: '', body, headers: browser })).status, 422)
})

test('a link opens one session, once', async () => {
  const made = await bed.operator('POST', `/operator/accounts/${bed.accountUuid}/link`, {})
  assert.is(made.status, 201)
  assert.match(made.body.url, /^http:\/\/voice\.test\/#link=[\w-]{43}$/)
  const link = made.body.url.split('=')[1]
  const signed = await signIn({ link })
  assert.is((await as(signed, 'GET', '/account/')).body.uuid, bed.accountUuid)
  assert.is((await bed.ask('POST', '/portal/session', { key: '', body: { link }, headers: browser })).status, 401)
})

test('an operator who signs in as an account stands in its event log', async () => {
  const made = await bed.operator('POST', `/operator/accounts/${bed.accountUuid}/link`, { sign_in_as: true })
  const signed = await signIn({ link: made.body.url.split('=')[1] })
  const list = await as(signed, 'GET', '/portal/sessions')
  assert.is(list.body.find((each: { uuid: string }) => each.uuid === signed.uuid).origin, 'operator')
  const logged = await bed.repositories.events.after(bed.accountUuid as never, 0, 100)
  assert.ok(logged.some(({ event }) => event.code === 'ACCT.0200'))
})

test('a request without the token of the page, or of another page, is refused', async () => {
  const signed = await signIn({ key: bed.key })
  const body = { email: 'forged@example.com' }
  const forged: Record<string, string>[] = [
    { ...browser, cookie: signed.cookie },
    headersOf(signed, { 'x-sauti-csrf': 'wrong' }),
    headersOf(signed, { origin: 'http://evil.test' }),
    headersOf(signed, { origin: 'null' }),
    headersOf(signed, { 'sec-fetch-site': 'cross-site' }),
    headersOf(signed, { 'sec-fetch-site': 'same-site' }),
    { cookie: signed.cookie },
    { cookie: signed.cookie, 'x-sauti-csrf': signed.uuid },
  ]
  for (const headers of forged)
    assert.is((await bed.ask('POST', '/users/create', { key: '', body, headers })).status, 403, JSON.stringify(headers))
  // A GET that ends a call, by an image of another site.
  const image = { cookie: signed.cookie, 'sec-fetch-site': 'cross-site' }
  assert.is((await bed.ask('GET', '/calls/hangup/CA01JZXQ7R5T8K2M4N', { key: '', headers: image })).status, 403)
  // A page that signs the visitor in to its own account.
  const elsewhere = { ...browser, origin: 'http://evil.test' }
  assert.is(
    (await bed.ask('POST', '/portal/session', { key: '', body: { key: bed.key }, headers: elsewhere })).status,
    403,
  )
  const left = await as(signed, 'GET', '/users/')
  assert.not.ok(left.body.some((user: { email: string }) => user.email === body.email))
})

test('a program with the cookie and the token needs no Origin, which only browsers send', async () => {
  const signed = await signIn({ key: bed.key })
  const headers = { cookie: signed.cookie, 'x-sauti-csrf': signed.token }
  const ask = (method: string, url: string, body?: object) =>
    bed.conforming(method, url, { key: '', headers, ...(body === undefined ? {} : { body }) })
  assert.is((await ask('POST', '/users/create', { email: 'program@example.com' })).status, 201)
  assert.is((await ask('GET', '/account/')).status, 200)
  assert.is((await ask('DELETE', '/portal/session')).status, 200)
  assert.is((await ask('GET', '/account/')).status, 401)
})

test('a form of another page, which needs no preflight, changes nothing', async () => {
  const signed = await signIn({ key: bed.key })
  const text = JSON.stringify({ email: 'form@example.com' })
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])
    for (const from of [{}, { origin: 'http://evil.test' }, { origin: 'null' }, { origin: 'http://voice.test' }]) {
      const headers = { cookie: signed.cookie, ...from, ...(type === '' ? {} : { 'content-type': type }) }
      const { status } = await bed.ask('POST', '/users/create', { key: '', raw: text, headers })
      assert.is(status, 403, `${type} ${JSON.stringify(from)}`)
    }
  // With the token of the page, but not as JSON.
  const headers = headersOf(signed, { 'content-type': 'text/plain' })
  assert.is((await bed.ask('POST', '/users/create', { key: '', raw: text, headers })).status, 415)
  // A sign-in by a form of another page would sign the visitor in to that page's account.
  const raw = JSON.stringify({ key: bed.key })
  const plain = { 'content-type': 'text/plain', origin: 'http://evil.test' }
  assert.ok([403, 415].includes((await bed.ask('POST', '/portal/session', { key: '', raw, headers: plain })).status))
  assert.not.match((await as(signed, 'GET', '/users/')).text, /form@example/)
})

test('a session ends by itself, by sign-out, by revocation, and with its key', async () => {
  const [first, second] = [await signIn({ key: bed.key }), await signIn({ key: bed.key })]
  assert.is((await as(first, 'DELETE', `/portal/sessions/${second.uuid}`)).status, 200)
  assert.is((await as(second, 'GET', '/account/')).status, 401)
  const out = await bed.conforming('DELETE', '/portal/session', { key: '', headers: headersOf(first) })
  assert.match(String(out.headers['set-cookie']), /^sauti_session=; .*Max-Age=0$/)
  assert.is((await as(first, 'GET', '/account/')).status, 401)

  const key = (await bed.customer('POST', '/keys/create', { name: 'short' })).body
  const third = await signIn({ key: key.key })
  await bed.customer('POST', '/keys/revoke', { uuid: key.uuid })
  assert.is((await as(third, 'GET', '/account/')).status, 401)

  const fourth = await signIn({ key: bed.key })
  const { database } = bed.store
  database.prepare('UPDATE portal_sessions SET expires_unix = ? WHERE uuid = ?').run(Date.now() - 1, fourth.uuid)
  assert.is((await as(fourth, 'GET', '/account/')).status, 401)
})

test('a session of the console ends with the operator’s key that opened it', async () => {
  const signed = await signIn({ key: operatorKey })
  const listed = async () => (await bed.operator('GET', '/operator/sessions')).body.map(({ uuid }: Signed) => uuid)
  assert.ok((await listed()).includes(signed.uuid))
  const link = await bed.repositories.portalSessions.link(null, 'link', Date.now())
  const byLink = await signIn({ link })
  for (const each of [signed, byLink]) assert.is((await as(each, 'GET', '/operator/accounts')).status, 200)
  // The switch was started with another key since.
  const { database } = bed.store
  database.run(
    database.sql
      .updateTable('portal_sessions')
      .set({ key_uuid: 'f'.repeat(64) })
      .where('account_uuid', 'is', null),
  )
  for (const each of [signed, byLink]) assert.is((await as(each, 'GET', '/operator/accounts')).status, 401)
  assert.equal(await listed(), [])
  const mine = await bed.conforming('GET', '/portal/session', { key: '', headers: headersOf(signed) })
  assert.is(mine.body.operator, null)
})

test('who signs in again leaves no session behind that no browser has', async () => {
  const first = await signIn({ key: bed.key })
  const side = await signIn({ key: operatorKey })
  const headers = { ...browser, cookie: `${first.cookie}; ${side.cookie}` }
  const again = await bed.conforming('POST', '/portal/session', { key: '', body: { key: other.key }, headers })
  assert.is(again.status, 201)
  assert.is((await as(first, 'GET', '/account/')).status, 401)
  assert.is((await as(side, 'GET', '/operator/accounts')).status, 200)
})

test('a session sees its own account alone, and never the operator’s side', async () => {
  const mine = await signIn({ key: bed.key })
  const theirs = await signIn({ key: other.key })
  const user = (await as(mine, 'POST', '/users/create', { email: 'mine@example.com' })).body
  assert.is((await as(theirs, 'POST', '/users/update', { uuid: user.uuid, display_name: 'x' })).status, 404)
  assert.is((await as(theirs, 'DELETE', `/portal/sessions/${mine.uuid}`)).status, 404)
  assert.is((await as(mine, 'GET', '/operator/accounts')).status, 401)
  const console = await signIn({ key: operatorKey })
  assert.match(console.cookie, /^sauti_operator=/)
  assert.is((await as(console, 'GET', '/operator/accounts')).status, 200)
  assert.is((await as(console, 'GET', '/account/')).status, 401)
  // The secret of one kind under the name of the other.
  const renamed = { ...mine, cookie: mine.cookie.replace('sauti_session', 'sauti_operator') }
  assert.is((await as(renamed, 'GET', '/operator/accounts')).status, 401)
  assert.is((await as(console, 'GET', '/operator/sessions')).body[0].uuid, console.uuid)
  assert.is((await as(console, 'DELETE', `/operator/sessions/${console.uuid}`)).status, 200)
})

test('to sign in with a key and to sign out are requests of the account: beyond 3,000 a minute 429', async () => {
  const busy = (await bed.operator('POST', '/operator/accounts', { name: 'Busy' })).body
  const signed = await signIn({ key: busy.key })
  for (let asked = 2; asked < 3000; asked++) bed.limits.countRequest(busy.account.uuid, performance.now())
  const last = await signIn({ key: busy.key })
  const body = { key: busy.key }
  const refused = await bed.conforming('POST', '/portal/session', { key: '', body, headers: headersOf(last) })
  assert.equal([refused.status, refused.body.detail], [429, 'More than 3000 requests in a minute.'])
  assert.ok(Number(refused.headers['retry-after']) >= 1)
  assert.is((await as(signed, 'DELETE', '/portal/session')).status, 429)
  assert.is(
    bed.store.database
      .prepare<[string], { n: number }>('SELECT count(*) n FROM portal_sessions WHERE account_uuid = ?')
      .get(busy.account.uuid)?.n,
    2,
    'neither changed',
  )
  assert.is((await as(await signIn({ key: bed.key }), 'DELETE', '/portal/session')).status, 200)
})

test('a page asks who it is signed in as', async () => {
  const signed = await signIn({ key: bed.key })
  const found = await bed.conforming('GET', '/portal/session', {
    key: '',
    headers: { ...browser, cookie: signed.cookie },
  })
  assert.equal([found.body.customer.form_token, found.body.operator], [signed.token, null])
  assert.is(found.body.overview, undefined)
  const home = await bed.ask('GET', '/portal/session?with=overview', {
    key: '',
    headers: { ...browser, cookie: signed.cookie },
  })
  assert.equal(home.body.overview, (await bed.customer('GET', '/account/overview')).body)
  assert.is(found.body.customer.account_name, (await bed.customer('GET', '/account/')).body.name)
  const nobody = await bed.conforming('GET', '/portal/session', { key: '', headers: browser })
  assert.equal(nobody.body, { customer: null, operator: null })
})

test('every operation of these paths was answered with success', () => {
  assert.equal(bed.unanswered(isOfSessions), [])
})

test.run()
