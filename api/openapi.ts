import fastifySwagger from '@fastify/swagger'
import type { TSchema } from '@sinclair/typebox'
import { headerName } from './answer/header-name.ts'
import type { Access, Api } from './base/fastify.ts'
import { exampleOf, type Schemas } from './openapi-examples.ts'
import { webhooks } from './openapi-webhooks.ts'
import { Account, OperatorAccount } from './schema/account.ts'
import { Asset } from './schema/asset.ts'
import { Call } from './schema/call.ts'
import { CallDump } from './schema/call-dump.ts'
import {
  CallControlRequest,
  DialActionRequest,
  GatherActionRequest,
  RecordActionRequest,
  StatusCallback,
  StreamEnvelope,
} from './schema/callback.ts'
import { Capture } from './schema/capture.ts'
import { CheckedDocument, DocumentProblem, HostedDocument } from './schema/document.ts'
import { bodyErrors, ErrorAnswer } from './schema/error.ts'
import { CallSummary, Delivery, EventRow, Registration } from './schema/insight.ts'
import { ApiKey, CreatedApiKey } from './schema/key.ts'
import { OperatorNumber, OwnedNumber, PoolNumber } from './schema/number.ts'
import { DrainState, LedgerLine, LiveCall } from './schema/operator.ts'
import {
  Figures,
  OperatorChange,
  RouteMatch,
  TrunkState,
  TrunkTest,
  TrunkTestCall,
  TrunkTestOrder,
} from './schema/operator-console.ts'
import { AccountOverview } from './schema/overview.ts'
import { IceServer, MintedToken, PhoneToken } from './schema/phone-token.ts'
import { CurrentSessions, PortalLink, PortalSession, SignedIn } from './schema/portal.ts'
import { Rate } from './schema/rate.ts'
import { DownloadLink, Recording } from './schema/recording.ts'
import { DocumentRevision, SimulatedCourse, Vocabulary } from './schema/simulation.ts'
import { StreamToken } from './schema/stream.ts'
import { CallTrace } from './schema/trace.ts'
import { Trunk } from './schema/trunk.ts'
import { EndUser } from './schema/user.ts'
import { SigningSecret, WebhookConfig } from './schema/webhook.ts'

const resources: readonly TSchema[] = [
  Account,
  AccountOverview,
  ApiKey,
  Asset,
  Call,
  CallControlRequest,
  CallDump,
  CallTrace,
  CallSummary,
  Capture,
  CheckedDocument,
  CreatedApiKey,
  CurrentSessions,
  Delivery,
  DialActionRequest,
  DocumentProblem,
  DocumentRevision,
  DownloadLink,
  DrainState,
  EndUser,
  ErrorAnswer,
  EventRow,
  Figures,
  GatherActionRequest,
  HostedDocument,
  IceServer,
  LedgerLine,
  LiveCall,
  MintedToken,
  OperatorAccount,
  OperatorChange,
  OperatorNumber,
  OwnedNumber,
  PhoneToken,
  PoolNumber,
  PortalLink,
  PortalSession,
  Rate,
  RecordActionRequest,
  Recording,
  Registration,
  RouteMatch,
  SignedIn,
  SigningSecret,
  SimulatedCourse,
  StatusCallback,
  StreamEnvelope,
  StreamToken,
  Trunk,
  TrunkState,
  TrunkTest,
  TrunkTestCall,
  TrunkTestOrder,
  Vocabulary,
  WebhookConfig,
]

const tags = [
  { name: 'health', description: 'Is the service up?' },
  { name: 'account', description: 'The account and its wallet.' },
  { name: 'webhooks', description: 'Where call-control requests and status callbacks go, and how they are signed.' },
  { name: 'numbers', description: 'Phone numbers: the pool, and your own.' },
  { name: 'calls', description: 'Place, list, read and end calls.' },
  { name: 'users', description: 'End-users: the identities behind softphones.' },
  { name: 'phone-tokens', description: 'Short-lived sign-ins for browser softphones.' },
  { name: 'recordings', description: 'List, download and delete recordings.' },
  { name: 'stream', description: 'Events as they happen, over a WebSocket.' },
  { name: 'keys', description: 'API keys: at most 10 active ones.' },
  { name: 'portal', description: 'Sessions of browsers that are signed in to the portal.' },
  { name: 'documents', description: 'Verb documents that the service hosts.' },
  { name: 'assets', description: 'Audio for `<Play asset>`.' },
  { name: 'operator', description: "The provider's side, with the operator key." },
]

const securityOf: Record<Access, readonly Record<string, string[]>[]> = {
  open: [],
  customer: [{ apiKey: [] }],
  operator: [{ operatorKey: [] }],
  either: [{ apiKey: [] }, { operatorKey: [] }],
}

/** Every route that follows is described; `app.swagger()` is the document once the API is ready. */
export async function describeRoutes(app: Api, publicUrl: string, version: string): Promise<void> {
  for (const schema of resources) app.addSchema(schema)
  await app.register(fastifySwagger, {
    hideUntagged: true,
    // Local references keep the resource's name instead of def-0, def-1, …
    refResolver: { buildLocalReference: (json, _base, _fragment, at) => String(json.$id ?? `schema${at}`) },
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Sauti',
        version,
        description:
          'Programmable voice: numbers, calls controlled by XML verb documents, recordings, webhooks, money.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: publicUrl }],
      tags,
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', description: "An account's API key, `vk_…`." },
          operatorKey: { type: 'http', scheme: 'bearer', description: "The provider's key." },
        },
      },
    },
    transform: ({ schema, url, route }) => ({
      schema: {
        ...withHeaderNames(documented(withBodyErrors(schema, [route.method].flat())) as Described),
        security: securityOf[route.config?.access ?? 'customer'],
      },
      url,
    }),
    transformObject: described => completed('openapiObject' in described ? described.openapiObject : described),
  })
}

interface WithContent {
  readonly content?: Readonly<Record<string, { readonly schema?: object; example?: unknown }>>
}

interface Operation {
  readonly requestBody?: WithContent
  readonly responses?: Readonly<Record<string, WithContent>>
}

/** What stands between routes: a name for each operation, an example for each JSON body, and what we send ourselves. */
function completed(document: unknown): Record<string, unknown> {
  const whole = document as {
    readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
    readonly components?: { readonly schemas?: Schemas }
  }
  const schemas = whole.components?.schemas ?? {}
  const paths = Object.entries(whole.paths ?? {}).map(([path, operations]) => {
    // Methods of one route share one description.
    const named = Object.entries(operations).map(([method, operation]) => {
      const { requestBody, responses = {} } = operation
      const succeeded = Object.entries(responses).flatMap(([status, answer]) => (status.startsWith('2') ? answer : []))
      for (const part of [requestBody, ...succeeded]) {
        const media = part?.content?.['application/json']
        if (media?.schema !== undefined) media.example = exampleOf(media.schema, schemas)
      }
      return [method, { operationId: operationIdOf(method, path), ...operation }]
    })
    return [path, Object.fromEntries(named)]
  })
  return { ...whole, paths: Object.fromEntries(paths), webhooks }
}

/** `get /calls/{uuid}` is getCallsByUuid: stable, and no name has to be invented. */
const operationIdOf = (method: string, path: string): string =>
  path
    .split(/[/.-]/)
    .filter(part => part !== '')
    .reduce((id, part) => {
      const word = part.replace(/[{}]/g, '')
      return `${id}${part.startsWith('{') ? 'By' : ''}${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
    }, method)

interface Described {
  readonly headers?: { readonly properties?: Readonly<Record<string, unknown>> }
}

interface Answered {
  readonly response?: unknown
}

/** Every method that changes something may come with a body, wanted or not. */
function withBodyErrors(schema: Answered | undefined, methods: readonly string[]): Answered | undefined {
  if (typeof schema?.response !== 'object' || methods.some(method => method === 'GET' || method === 'HEAD'))
    return schema
  return { ...schema, response: { ...bodyErrors(), ...schema.response } }
}

function withHeaderNames(schema: Described): Described {
  const { properties } = schema.headers ?? {}
  if (properties === undefined) return schema
  const named = Object.entries(properties).map(([name, header]) => [headerName(name), header] as const)
  return { ...schema, headers: { ...schema.headers, properties: Object.fromEntries(named) } }
}

/** Our own notes are not part of the document, and what has a default need not be sent. */
const documented = (schema: unknown): unknown => JSON.parse(JSON.stringify(schema ?? {}), withoutNotes)

function withoutNotes(name: string, value: unknown): unknown {
  if (name === 'x-problem') return undefined
  if (typeof value !== 'object' || value === null) return value
  const { required, properties } = value as { required?: unknown; properties?: Record<string, { default?: unknown }> }
  if (!Array.isArray(required) || properties === undefined) return value
  const needed = required.filter(field => properties[field]?.default === undefined)
  return { ...value, required: needed.length === 0 ? undefined : needed }
}
