import { expectStatus } from '../../rig/beds/account.ts'
import { sine } from '../../rig/probes/tone.ts'
import { sleep, until } from '../../rig/probes/wait.ts'
import type { AuditBed } from '../bed.ts'
import { Findings, type Probe } from '../probe.ts'

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
}

interface Operation {
  readonly method: string
  readonly path: string
  readonly keys: readonly string[]
  readonly parameters: readonly { readonly in: string; readonly name: string }[]
  readonly body: Schema | undefined
}

/** Every operation of /openapi.json, as the switch serves it. */
async function operationsOf(bed: AuditBed): Promise<readonly Operation[]> {
  const { paths } = (await (await fetch(`${bed.sauti.baseUrl}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, any>>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      keys: (operation.security ?? []).flatMap((scheme: object) => Object.keys(scheme)),
      parameters: operation.parameters ?? [],
      body: operation.requestBody?.content?.['application/json']?.schema,
    })),
  )
}

/** What every text of the victim holds, so that a leak of it shows anywhere. */
const marker = 'victims-own'

interface Victim {
  /** Ids of one thing of each kind, and of a live call. */
  readonly ids: readonly string[]
  state(): Promise<string>
}

async function victimOf(bed: AuditBed): Promise<Victim> {
  const { account } = bed
  const user = expectStatus(
    await account.api('POST', '/users/create', { email: `${marker}@example.test`, display_name: marker }),
    201,
  ).body
  const minted = expectStatus(await account.api('POST', '/phone-tokens/mint', { uuid: user.uuid }), 200).body
  const key = expectStatus(await account.api('POST', '/keys/create', { name: marker }), 201).body
  const document = expectStatus(
    await account.api('POST', '/documents/', { name: marker, body: `<Response><Say>${marker}</Say></Response>` }),
    201,
  ).body
  await account.asset(marker, sine(440, 1))
  await account.webhook('status', 'https://webhook.invalid/status')
  const signedIn = await fetch(`${bed.sauti.baseUrl}/portal/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key: account.key }),
  })
  if (!signedIn.ok) throw new Error(`the portal’s sign-in answered ${signedIn.status}`)
  const call = bed.caller.invite(await bed.number('<RecordSession state="start"/><Say>Hello</Say>'))
  await bed.caller.final(call)
  await bed.idle()
  const recording = await until('a recording', async () => (await list('/recordings/'))[0], 20_000)
  const ended = await account.call()
  await bed.caller.final(bed.caller.invite(await bed.number('<Say>Hello</Say><Pause length="300"/>')))
  const [live] = await bed.live()
  const deliveries = await list('/account/webhooks/deliveries')
  const sessions = await list('/portal/sessions')
  const number = (await list('/numbers/'))[0]

  async function list(path: string): Promise<readonly any[]> {
    const { body } = expectStatus(await account.api('GET', path), 200)
    return Array.isArray(body) ? body : (Object.values(body).find(Array.isArray) ?? [])
  }
  const ids = [
    user.uuid,
    user.extension_number,
    minted.phone_token.uuid,
    key.uuid,
    document.uuid,
    marker,
    recording.uuid,
    ended.uuid,
    ended.sid,
    live.uuid,
    live.sid,
    number.uuid,
    ...deliveries.slice(0, 1).map(delivery => delivery.id),
    ...sessions.slice(0, 1).map(session => session.uuid),
  ]
  if (ids.some(id => typeof id !== 'string' || id === '')) throw new Error(`ids of the victim: ${ids.join()}`)
  const kept = ['/numbers/', '/users/', '/keys/', '/documents/', '/assets/', '/recordings/', '/phone-tokens/']
  const volatile = /"(last_used_at|is_registered|total|updated_at)":[^,}]*,?/g
  const state = async () => {
    const parts = await Promise.all(kept.map(async path => JSON.stringify(await list(path)).replace(volatile, '')))
    return [...parts, `${(await bed.live()).length} live calls`].join('\n')
  }
  return { ids, state }
}

/** A value that passes for a field that is not the id. */
const fillers: Readonly<Record<string, unknown>> = {
  name: 'other',
  body: '<Response/>',
  url: 'https://webhook.invalid/',
  email: 'other@example.test',
  to: '+254722000001',
  from: '+254722000002',
}
const idFields = ['uuid', 'sid', 'id']
const filters: ReadonlySet<string> = new Set(['sid', 'call_uuid', 'search'])
/** What the contract says in place of 404: a number that is taken, an end-user of another account. */
const contracted: Readonly<Record<string, readonly number[]>> = {
  'POST /numbers/acquire': [404, 409],
  'POST /phone-tokens/mint': [404, 400],
}
const isRefusal = ({ method, path }: Operation, status: number): boolean =>
  (contracted[`${method} ${path}`] ?? [404]).includes(status)
/** A slug is the account's own: another account may have the same. */
const createsOwn = (operation: Operation): boolean => operation.method === 'PUT' && operation.path === '/assets/{slug}'

export const otherAccounts: Probe = {
  name: 'ids of another account on every route',
  group: 'API',
  promise:
    'On every operation of /openapi.json, ids of another account are 404, in the path, the body or the query (400, 403 and 409 where the contract says so); nothing of it is shown or changed; no customer’s key opens an operator’s operation.',
  async run(bed) {
    const findings = new Findings()
    const victim = await victimOf(bed)
    const before = await victim.state()
    const made = await bed.sauti.operator('POST', '/accounts', { name: 'Other', wallet_balance: '10' })
    const key = expectStatus(made, 201).body.key as string
    const webhook = { purpose: 'status', url: 'https://webhook.invalid/other' }
    expectStatus(await bed.sauti.request(key, 'POST', '/account/webhooks', webhook), 200)
    const ask = async (operation: Operation, path: string, body?: unknown) => {
      findings.inputs++
      const { method } = operation
      const answer = await bed.sauti.request(key, method, path, method === 'GET' ? undefined : body)
      const text = JSON.stringify(answer.body) ?? ''
      if (text.includes(marker) && !JSON.stringify([path, body]).includes(marker))
        findings.broken.push(`${method} ${path} shows what is another’s`)
      await sleep(2)
      return answer
    }
    const operations = await operationsOf(bed)
    for (const operation of operations) {
      const { method, path, keys, parameters, body } = operation
      if (!keys.includes('apiKey') || createsOwn(operation)) continue
      const idField = idFields.find(name => body?.required?.includes(name))
      const filled = Object.fromEntries((body?.required ?? []).map(name => [name, fillers[name] ?? 'x']))
      // What is no slug is 422.
      const fitting = path === '/assets/{slug}' ? victim.ids.filter(id => /^[a-z0-9-]{1,64}$/.test(id)) : victim.ids
      for (const id of fitting) {
        if (path.includes('{')) {
          const answer = await ask(operation, path.replace(/\{\w+\}/g, encodeURIComponent(id)), filled)
          findings.expect(isRefusal(operation, answer.status), `${method} ${path} with ${id}: ${answer.status}`)
        } else if (idField !== undefined) {
          const answer = await ask(operation, path, { ...filled, [idField]: id })
          findings.expect(
            isRefusal(operation, answer.status),
            `${method} ${path} with ${idField} ${id}: ${answer.status}`,
          )
        }
        for (const parameter of parameters.filter(each => each.in === 'query' && filters.has(each.name))) {
          const answer = await ask(operation, `${path}?${parameter.name}=${encodeURIComponent(id)}`)
          const { body: found } = answer
          const rows = Object.values(found ?? {}).find(Array.isArray) ?? []
          findings.equal(rows.length, 0, `${method} ${path}?${parameter.name}=${id}: rows`)
        }
      }
    }
    findings.equal(await victim.state(), before, 'what the other account has')
    // Last: after twenty wrong keys a minute their address gets 429.
    for (const operation of operations.filter(({ keys }) => keys.includes('operatorKey') && !keys.includes('apiKey'))) {
      const { method, path } = operation
      const { status } = await ask(operation, path.replace(/\{\w+\}/g, victim.ids[0]!), {})
      findings.expect([401, 403, 429].includes(status), `${method} ${path} with a customer’s key: ${status}`)
    }
    return findings
  },
}
