import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { eventCatalogue } from '../../core/events/catalogue.ts'
import { callbackEnvelope, streamEnvelope } from '../../core/events/envelope.ts'
import { acme, own } from '../core/bed/acme.ts'
import { CallBed } from '../core/bed/call-bed.ts'
import { ApiBed } from './bed/api-bed.ts'

// `/openapi.json` as a generated client takes it.
const bed = await ApiBed.open()
const document = (await bed.ask('GET', '/openapi.json', { key: '' })).body
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema(document, 'openapi')

const methods = ['get', 'post', 'put', 'patch', 'delete', 'head']
const operations: { id: string; path: string; method: string; operation: any }[] = [
  ...Object.entries<any>(document.paths),
  ...Object.entries<any>(document.webhooks),
].flatMap(([path, item]) =>
  methods
    .filter(method => item[method] !== undefined)
    .map(method => ({ id: item[method].operationId, path, method, operation: item[method] })),
)

/** Every schema of the document, with the way to it. */
function* schemas(value: unknown, at: string): Generator<[at: string, schema: any]> {
  if (typeof value !== 'object' || value === null) return
  if ('type' in value || '$ref' in value || 'anyOf' in value) yield [at, value]
  for (const [name, part] of Object.entries(value)) {
    if (!['example', 'examples', 'default', 'enum'].includes(name)) yield* schemas(part, `${at}/${name}`)
  }
}

const fitting = (schema: object, value: unknown): string[] => {
  const validate = ajv.compile({ ...inDocument(schema), $defs: {} })
  return validate(value) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
const inDocument = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components'))

/** Its fields, and no others. */
const isOf = (name: string, value: unknown) => {
  const schema = document.components.schemas[name]
  assert.equal(fitting({ ...schema, additionalProperties: false }, value), [], `${name}: ${JSON.stringify(value)}`)
}

test('every operation has a name of its own that a program can have', () => {
  const ids = operations.map(({ id }) => id)
  assert.is(new Set(ids).size, ids.length)
  for (const id of ids) assert.match(id, /^[a-z][A-Za-z0-9]+$/)
  for (const known of ['getCalls', 'postCallsOriginate', 'getCallsByUuid', 'postOperatorDrain', 'onStatusCallback'])
    assert.ok(ids.includes(known), known)
})

test('an object without fields is open: a generated client may put something into it', () => {
  for (const [at, schema] of schemas(document, '')) {
    const isObject = [schema.type].flat().includes('object') && schema.properties === undefined
    if (isObject) assert.ok(schema.additionalProperties, at)
  }
})

test('every example is one: of fields, of bodies, of answers', () => {
  let seen = 0
  for (const [at, schema] of schemas(document, '')) {
    for (const example of schema.examples ?? []) {
      seen++
      assert.equal(fitting(schema, example), [], `${at}: ${JSON.stringify(example)}`)
    }
  }
  const wrong: string[] = []
  for (const { id, operation } of operations) {
    for (const part of [operation.requestBody, ...Object.values<any>(operation.responses)]) {
      const media = part?.content?.['application/json']
      if (media?.example === undefined) continue
      seen++
      const found = fitting(media.schema, media.example)
      if (found.length > 0) wrong.push(`${id}: ${found} ${JSON.stringify(media.example)}`)
    }
  }
  assert.equal(wrong, [])
  assert.ok(seen > 150, `${seen} examples`)
})

test('codes, times and identifiers say what they are', () => {
  const { Call, Error: failure, StreamEnvelope, StatusCallback } = document.components.schemas
  assert.is(Call.properties.uuid.format, 'uuid')
  assert.is(Call.properties.created_at.format, 'date-time')
  assert.ok(Call.properties.reason_code.enum.includes('END.4429'))
  assert.ok(failure.properties.code.enum.includes('LIMIT.0430'))
  assert.equal(StreamEnvelope.properties.code.enum, Object.keys(eventCatalogue))
  assert.ok(!StatusCallback.properties.code.enum.includes('WH.0200'))
  assert.equal(
    document.webhooks.statusCallback.post.parameters.map(({ name }: { name: string }) => name),
    ['X-Voice-Signature', 'X-Voice-Timestamp', 'X-Voice-Event'],
  )
})

test('a real call posts and streams what the webhooks describe', () => {
  const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  const at = '+254700000001'
  const far = '+254733333333'
  const callBed = new CallBed()
  callBed.store.accounts.clear()
  const account = {
    ...acme,
    uuid: uuid(1) as typeof acme.uuid,
    endpoints: { ...acme.endpoints, voice_outbound: 'https://acme.test/in' },
  }
  callBed.store.addAccount(account, 10_000_000)
  callBed.store.numbers.set(at, { account: account.uuid, number: own(at) })
  callBed.documents.set(
    'https://acme.test/in',
    '<Response><Gather action="/gathered" numDigits="1" timeout="1"/></Response>',
  )
  callBed.documents.set('https://acme.test/gathered', '<Response><Record action="/recorded" maxLength="2"/></Response>')
  callBed.documents.set(
    'https://acme.test/recorded',
    `<Response><Dial action="/dialled" timeout="5"><Number>${far}</Number></Dial></Response>`,
  )
  callBed.documents.set('https://acme.test/dialled', '<Response><Redirect>/last</Redirect></Response>')
  callBed.documents.set('https://acme.test/last', '<Response><Say voice="nobody">Bye</Say></Response>')
  callBed.peers.set(far, { ringAfter: 10, answerAfter: 100, byeAfter: 1000 })
  const caller = callBed.call(at)
  const user = callBed.user('1001', [], { uuid: uuid(2) })
  const phone = callBed.dialFrom(user, far, { accountUuid: account.uuid, customPayload: '{"order":7}' })
  callBed.run(500)
  for (const legId of [caller, phone]) callBed.press(legId, '1')
  callBed.run(120_000)
  const names: Readonly<Record<string, string>> = {
    '/in': 'CallControlRequest',
    '/gathered': 'GatherActionRequest',
    '/recorded': 'RecordActionRequest',
    '/dialled': 'DialActionRequest',
    '/last': 'CallControlRequest',
  }
  const paths = callBed.posts.map(({ url }) => new URL(url).pathname)
  assert.is(paths.length, 10, paths.join(' '))
  for (const { url, fields } of callBed.posts) {
    // Recordings of the bed are counted, not named by a uuid.
    isOf(names[new URL(url).pathname] ?? '', JSON.parse(JSON.stringify(fields)))
  }
  assert.ok(callBed.store.events.length > 20, `${callBed.store.events.length} events`)
  for (const [n, event] of callBed.store.events.entries()) {
    const reported = { ...event, uuid: uuid(100 + n) }
    isOf('StreamEnvelope', JSON.parse(JSON.stringify({ seq: n + 1, ...streamEnvelope(reported) })))
    if (eventCatalogue[event.code].callback)
      isOf('StatusCallback', JSON.parse(JSON.stringify(callbackEnvelope(reported))))
  }
})

test.after(() => bed.close())

test.run()
