import { randomUUID } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { AccountUuid, CallUuid, RecordingUuid, Sid } from '../../core/model/ids.ts'
import { ApiBed } from './bed/api-bed.ts'

// Every operation of /openapi.json that names a thing by its id, asked with the ids of another account: by key and by a
// session of the portal. The answer is the same as for an unknown id, and nothing changes.

// Of each call there are packets.
const bed: ApiBed = await ApiBed.open(
  {},
  {
    traces: {
      read: async (_id, { form }) =>
        form === 'pcapng' ? { account: bed.accountUuid, isOver: true, body: new Uint8Array(4) } : undefined,
    },
  },
)
const other = (await bed.operator('POST', '/operator/accounts', { name: 'Other', wallet_balance: '100' })).body
// What an operation needs beside the thing itself is there: only the id is not this account's.
const theirStatus = { url: 'http://other.test/', purpose: 'status' }
await bed.conforming('POST', '/account/webhooks/endpoint', { key: other.key, body: theirStatus })
const browser = { origin: 'http://voice.test', 'sec-fetch-site': 'same-origin' }

async function owned(): Promise<Readonly<Record<string, string>>> {
  const ask = async (path: string, body?: unknown) => (await bed.customer('POST', path, body)).body
  const number = await bed.ownNumber()
  const call = await ask('/calls/originate', { to: '+254722000001', from: number.number, url: 'https://a.test/v' })
  const user = await ask('/users/create', { email: 'a@example.com' })
  const token = await ask('/phone-tokens/mint', { uuid: user.uuid })
  const session = await bed.ask('POST', '/portal/session', { key: '', body: { key: bed.key }, headers: browser })
  await ask('/account/webhooks/endpoint', { url: 'http://status.test/', purpose: 'status' })
  await ask('/account/webhooks/test')
  const [event] = (await bed.customer('GET', '/events/?code=WH.')).body
  const uuid = randomUUID() as RecordingUuid
  const recording = {
    uuid,
    accountUuid: bed.accountUuid as AccountUuid,
    callUuid: call.uuid as CallUuid,
    callSid: call.sid as Sid,
    path: `${uuid}.wav`,
    durationMs: 1000,
    sizeBytes: 1000,
    mediaFormat: 'wav' as const,
    createdUnix: Date.now(),
    expiresUnix: Date.now() + 3_600_000,
  }
  await bed.store.calls.commit([{ type: 'recording.insert', recording }])
  return {
    call: call.uuid,
    sid: call.sid,
    number: number.uuid,
    user: user.uuid,
    key: (await ask('/keys/create', { name: 'k' })).uuid,
    token: token.phone_token.uuid,
    session: session.body.session,
    document: (await ask('/documents/', { name: 'd', body: '<Response/>' })).uuid,
    recording: uuid,
    event: event.id,
  }
}

const ids = await owned()

/** Which of these ids an operation takes. A new operation with an id needs its line here. */
const takes: Readonly<Record<string, string>> = {
  'POST /numbers/release': 'number',
  'POST /numbers/configure': 'number',
  'GET /calls/{uuid}': 'call',
  'GET /calls/{uuid}/trace': 'call',
  'GET /calls/{uuid}/trace.pcapng': 'call',
  'POST /calls/hangup': 'sid',
  'GET /calls/hangup': 'sid',
  'GET /calls/hangup/{sid}': 'sid',
  'POST /users/update': 'user',
  'POST /users/delete': 'user',
  'POST /keys/revoke': 'key',
  'DELETE /portal/sessions/{uuid}': 'session',
  'POST /phone-tokens/revoke': 'token',
  'POST /recordings/download': 'recording',
  'POST /recordings/delete': 'recording',
  'GET /documents/{uuid}': 'document',
  'PUT /documents/{uuid}': 'document',
  'DELETE /documents/{uuid}': 'document',
  'GET /documents/{uuid}/revisions': 'document',
  'POST /account/webhooks/deliveries/resend': 'event',
  // Filters: a list of nothing.
  'GET /recordings/': 'call',
  'GET /events/': 'sid',
  'GET /account/webhooks/deliveries': 'sid',
}
/**
 * A slug is a name that each account gives by itself: the same one of another account is another asset. A number of the
 * pool is offered to all, and who comes second gets 409. For a token of another account's end-user the API says 400 (Errors).
 */
const others = [
  'POST /numbers/acquire',
  'POST /phone-tokens/mint',
  'GET /assets/{slug}',
  'PUT /assets/{slug}',
  'DELETE /assets/{slug}',
]
const named = /^(uuid|sid|id|slug|call_uuid)$/
const fillers: Readonly<Record<string, unknown>> = { name: 'x', body: '<Response/>' }

interface Described {
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly { readonly in: string; readonly name: string }[]
  readonly requestBody?: {
    readonly content?: Readonly<
      Record<string, { schema?: { properties?: Record<string, unknown>; required?: readonly string[] } }>
    >
  }
}

const operations = Object.entries(bed.document.paths).flatMap(([path, item]) =>
  Object.entries(item as unknown as Record<string, Described>)
    .filter(([, { security = [] }]) => security.some(scheme => 'apiKey' in scheme))
    .map(([method, described]) => {
      const schema = described.requestBody?.content?.['application/json']?.schema
      const parameters = described.parameters ?? []
      const inBody = Object.keys(schema?.properties ?? {}).find(name => named.test(name))
      const inQuery = parameters.find(each => each.in === 'query' && named.test(each.name))?.name
      const inPath = parameters.find(each => each.in === 'path')?.name
      return { name: `${method.toUpperCase()} ${path}`, method, path, schema, inBody, inQuery, inPath }
    })
    .filter(({ inBody, inQuery, inPath }) => [inBody, inQuery, inPath].some(each => each !== undefined)),
)

test('every operation with an id is known here', () => {
  const found = operations.map(({ name }) => name)
  assert.equal(found.filter(name => !others.includes(name)).toSorted(), Object.keys(takes).toSorted())
  for (const name of others) assert.ok(found.includes(name), name)
})

function requestOf(operation: (typeof operations)[number], id: string) {
  const { path, schema, inBody, inQuery } = operation
  const body: Record<string, unknown> = {}
  for (const field of schema?.required ?? []) body[field] = fillers[field]
  if (inBody !== undefined) body[inBody] = id
  const url = path.replace(/\{\w+\}/, id)
  return {
    method: operation.method.toUpperCase(),
    url: inQuery === undefined ? url : `${url}?${inQuery}=${id}`,
    ...(schema === undefined ? {} : { body }),
  }
}

/** What the owner sees of all of it. */
const seen = async () =>
  Promise.all(
    [
      '/numbers/',
      `/calls/${ids.call}`,
      '/users/',
      '/keys/',
      '/portal/sessions',
      '/phone-tokens/',
      '/recordings/',
      '/documents/',
    ].map(async url => (await bed.ask('GET', url)).text.replace(/"last_used_at":"[^"]*"/g, '')),
  )

const signIn = await bed.ask('POST', '/portal/session', { key: '', body: { key: other.key }, headers: browser })
const session = {
  key: '',
  headers: {
    ...browser,
    cookie: String(signIn.headers['set-cookie']).split(';')[0] ?? '',
    'x-sauti-csrf': signIn.body.form_token as string,
  },
}

for (const [who, ask] of [
  ['a key', { key: other.key as string }],
  ['a session', session],
] as const)
  test(`with ${who} of another account: as if there were no such thing`, async () => {
    const before = await seen()
    for (const operation of operations.filter(({ name }) => name in takes)) {
      const kind = takes[operation.name] ?? ''
      const id = ids[kind] ?? ''
      const unknownUuid = kind === 'sid' ? `CA${'0'.repeat(id.length - 2)}` : randomUUID()
      const { method, url, body } = requestOf(operation, id)
      const theirs = await bed.conforming(method, url, { ...ask, ...(body === undefined ? {} : { body }) })
      const empty = requestOf(operation, unknownUuid)
      const none = await bed.ask(empty.method, empty.url, {
        ...ask,
        ...(body === undefined ? {} : { body: empty.body }),
      })
      assert.is(theirs.text.replaceAll(id, '*'), none.text.replaceAll(unknownUuid, '*'), operation.name)
      if (operation.inQuery !== undefined && operation.name !== 'GET /calls/hangup') {
        assert.equal([theirs.status, theirs.body], [200, []], operation.name)
        continue
      }
      assert.equal([theirs.status, none.status], [404, 404], `${operation.name}: ${theirs.text}`)
    }
    assert.equal(await seen(), before)
  })

test('the owner gets them all', async () => {
  for (const operation of operations.filter(({ name, method }) => name in takes && method === 'get')) {
    if (/hangup/.test(operation.path)) continue
    const { method, url } = requestOf(operation, ids[takes[operation.name] ?? ''] ?? '')
    assert.is((await bed.customer(method, url)).status, 200, url)
  }
})

test.run()
