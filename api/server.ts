import { setImmediate as nextTurn } from 'node:timers/promises'
import fastify from 'fastify'
import { noteChanges } from './access/change-log.ts'
import { EndedAccess } from './access/ended-access.ts'
import { guardRoutes } from './access/guard.ts'
import { type ConnectionLimits, defaultConnectionLimits, HttpConnections } from './access/http-connections.ts'
import { checkForm, refuseCodings } from './access/request-form.ts'
import { RequestLimits } from './access/request-limits.ts'
import { collectPaths, refuseOtherMethods } from './answer/methods.ts'
import { answerNoHttp, refuseExpectation } from './answer/no-http.ts'
import { notFound } from './answer/refusal.ts'
import { WrittenLists } from './answer/written-lists.ts'
import type { SwitchDoor } from './base/door.ts'
import { type Api, schemasBy, type TypeBoxProvider } from './base/fastify.ts'
import { version } from './base/version.ts'
import { WorkTurns } from './base/work-turns.ts'
import { httpsOptions, mainListener } from './listeners.ts'
import { describeRoutes } from './openapi.ts'
import { maxBodyBytes, parseBodies } from './request/body-parser.ts'
import { dropBodies } from './request/body-reader.ts'
import { sendFailure } from './request/failure.ts'
import { GatheredRequest } from './request/gathered-request.ts'
import { answerHead } from './request/head.ts'
import { isWebSocket, Upgrades } from './request/upgrades.ts'
import { validatorCompiler } from './request/validation.ts'
import { accountRoutes } from './routes/account.ts'
import { assetRoutes } from './routes/assets.ts'
import { callRoutes } from './routes/calls.ts'
import { documentToolRoutes } from './routes/document-tools.ts'
import { documentRoutes } from './routes/documents.ts'
import { explorerRoutes } from './routes/explorer.ts'
import { hangupRoutes } from './routes/hangup.ts'
import { healthRoutes } from './routes/health.ts'
import { insightRoutes } from './routes/insight.ts'
import { keyRoutes } from './routes/keys.ts'
import { metricsRoutes } from './routes/metrics.ts'
import { numberRoutes } from './routes/numbers.ts'
import { operatorAccountRoutes } from './routes/operator/accounts.ts'
import { operatorCallRoutes } from './routes/operator/calls.ts'
import { captureRoutes } from './routes/operator/captures.ts'
import { operatorConsoleRoutes } from './routes/operator/console.ts'
import { operatorNumberRoutes } from './routes/operator/numbers.ts'
import { operatorRateRoutes } from './routes/operator/rates.ts'
import { trunkTestRoutes } from './routes/operator/trunk-tests.ts'
import { operatorTrunkRoutes } from './routes/operator/trunks.ts'
import { originateRoutes } from './routes/originate.ts'
import { overviewRoutes } from './routes/overview.ts'
import { phoneRoutes } from './routes/phone.ts'
import { phoneTokenRoutes } from './routes/phone-tokens.ts'
import { portalPageRoutes } from './routes/portal-page.ts'
import { portalSessionRoutes } from './routes/portal-sessions.ts'
import { reasonRoutes } from './routes/reasons.ts'
import { recordingRoutes } from './routes/recordings.ts'
import { sipRoutes } from './routes/sip.ts'
import { streamRoutes } from './routes/stream.ts'
import { traceRoutes } from './routes/traces.ts'
import { userRoutes } from './routes/users.ts'
import { webhookRoutes } from './routes/webhooks.ts'

/** A slow or silent client holds a connection for so long at most. */
const headersTimeoutMs = 15_000
const requestTimeoutMs = 60_000
/** How often the two limits are looked at: they hold within so much. */
const timeoutCheckMs = 2_000
const keepAliveTimeoutMs = 72_000
const strictTransportSeconds = 365 * 24 * 3600
const maxHeaderBytes = 16 * 1024

interface ApiOptions {
  readonly operatorKey: string
  /** Default: limits of its own. */
  readonly limits?: RequestLimits
  /** Default: `defaultConnectionLimits`. */
  readonly connections?: ConnectionLimits
}

/**
 * The HTTP side of a switch: not listening yet, `inject` works without a port. It takes some turns of the event loop, as calls
 * that come meanwhile are answered between two of them.
 */
export async function buildApi(door: SwitchDoor, options: ApiOptions): Promise<Api> {
  const { trustedProxies, http } = door.settings
  const shape = {
    IncomingMessage: GatheredRequest,
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: timeoutCheckMs,
    maxHeaderSize: maxHeaderBytes,
    shouldUpgradeCallback: isWebSocket,
    // `checkForm` does that, with a detail.
    requireHostHeader: false,
  }
  const secure = mainListener(http)?.scheme === 'https' ? door.tls?.current : undefined
  const app: Api = fastify({
    bodyLimit: maxBodyBytes,
    // The caller is the nearest address that is no trusted proxy's; without any, the connection's own.
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    ...(secure === undefined ? { http: shape } : { https: { ...httpsOptions(secure), ...shape } }),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 256 },
    // `answerHead` does that.
    exposeHeadRoutes: false,
    schemaController: schemasBy(validatorCompiler()),
    forceCloseConnections: true,
    return503OnClosing: false,
    clientErrorHandler: answerNoHttp,
    frameworkErrors: (error, request, reply) => {
      sendFailure(error, request, reply, door.log)
    },
  }).withTypeProvider<TypeBoxProvider>()
  const connections = new HttpConnections(options.connections ?? defaultConnectionLimits, trustedProxies)
  connections.guard(app.server, secure === undefined ? 'connection' : 'secureConnection')
  app.addHook('onClose', async () => connections.close())
  app.server.on('checkExpectation', refuseExpectation)

  app.setErrorHandler((error, request, reply) => sendFailure(error, request, reply, door.log))
  app.setNotFoundHandler(async () => {
    throw notFound('There is nothing at this path.')
  })
  const paths = collectPaths(app)
  answerHead(app, paths)
  // Whatever a customer put into an answer, it is of the type that we say, and of no other.
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('x-content-type-options', 'nosniff')
  })
  checkForm(app)
  app.addHook('onRequest', async (request, reply) => {
    // RFC 6797 §7.2: only over TLS. Browsers ignore it for addresses; for localhost it would bind other programs' ports.
    if (request.protocol === 'https' && !/(^|\.)localhost$/.test(request.hostname)) {
      reply.header('strict-transport-security', `max-age=${strictTransportSeconds}`)
    }
  })
  const turns = new WorkTurns()
  parseBodies(app, turns)
  dropBodies(app, turns)
  const { limits = new RequestLimits() } = options
  guardRoutes(app, door, { operatorKey: options.operatorKey, turns, limits, connections })
  const refuseShadowed = refuseOtherMethods(app, paths)
  refuseCodings(app)
  noteChanges(app, door)
  describeRoutes(app, door.settings.publicUrl, version)
  await nextTurn()

  const lists = new WrittenLists()
  healthRoutes(app, door)
  explorerRoutes(app)
  reasonRoutes(app)
  phoneRoutes(app)
  portalPageRoutes(app, door)
  accountRoutes(app, door)
  await nextTurn()
  webhookRoutes(app, door)
  numberRoutes(app, door)
  callRoutes(app, door)
  traceRoutes(app, door, lists)
  originateRoutes(app, door)
  hangupRoutes(app, door)
  userRoutes(app, door)
  await nextTurn()
  const ended = new EndedAccess()
  keyRoutes(app, door, ended)
  portalSessionRoutes(app, door, options.operatorKey, limits, ended)
  phoneTokenRoutes(app, door)
  recordingRoutes(app, door, turns)
  await nextTurn()
  const upgrades = new Upgrades(app, door, turns, connections)
  const streams = streamRoutes(app, door, { upgrades, turns, limits, ended })
  sipRoutes(app, door, upgrades)
  metricsRoutes(app, door, () => streams.size)
  documentRoutes(app, door, turns, lists)
  documentToolRoutes(app, door, turns, lists)
  insightRoutes(app, door)
  overviewRoutes(app, door)
  await nextTurn()
  await assetRoutes(app, door, turns)
  operatorAccountRoutes(app, door, account => streams.sizeOf(account))
  operatorNumberRoutes(app, door)
  operatorTrunkRoutes(app, door)
  operatorRateRoutes(app, door, turns)
  await nextTurn()
  operatorCallRoutes(app, door)
  captureRoutes(app, door)
  operatorConsoleRoutes(app, door)
  trunkTestRoutes(app, door)
  refuseShadowed()
  await nextTurn()
  await app.ready()
  return app
}
