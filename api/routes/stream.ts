import { Type } from '@sinclair/typebox'
import { WebSocketServer } from 'ws'
import { isNoticed, quotaSentence, streamTokenSeconds } from '../../core/index.ts'
import type { EndedAccess } from '../access/ended-access.ts'
import { customerOf } from '../access/guard.ts'
import { isAllowedOrigin } from '../access/origins.ts'
import type { RequestLimits } from '../access/request-limits.ts'
import { invalid, Refusal } from '../answer/refusal.ts'
import type { SwitchDoor } from '../base/door.ts'
import type { Api } from '../base/fastify.ts'
import type { WorkTurns } from '../base/work-turns.ts'
import type { UpgradeHandler, Upgrades } from '../request/upgrades.ts'
import { errors, openErrors } from '../schema/error.ts'
import { resource } from '../schema/field.ts'
import { StreamToken } from '../schema/stream.ts'
import { StreamHub } from '../stream/hub.ts'
import { maxMessageBytes, maxMessageFragments } from '../stream/limits.ts'

interface StreamNeeds {
  readonly upgrades: Upgrades
  readonly turns: WorkTurns
  readonly limits: RequestLimits
  readonly ended: EndedAccess
}

/** What it returns knows how many streams are open. */
export function streamRoutes(
  app: Api,
  door: SwitchDoor,
  { upgrades, turns, limits, ended }: StreamNeeds,
): Pick<StreamHub, 'size' | 'sizeOf'> {
  const { streamTokens } = door.repositories
  const tags = ['stream']

  app.post('/stream/token', {
    schema: {
      tags,
      summary: 'A token for the event stream',
      description: 'On your backend; the browser opens `/stream` with it.',
      response: { 200: { ...resource(StreamToken), description: 'The token.' }, ...errors() },
    },
    handler: async (request, reply) => {
      const { accountUuid: account, shown: by, untilUnix } = customerOf(request)
      return reply.header('cache-control', 'no-store').send({
        token: streamTokens.issue({ account, by, untilUnix }, Date.now()),
        ttl_seconds: streamTokenSeconds,
      })
    },
  })

  app.get('/stream', {
    config: { access: 'open' },
    schema: {
      tags,
      summary: 'The event stream, a WebSocket',
      description:
        'Every event of the account, once and in order, each as one text message that holds a `StreamEnvelope`. ' +
        'Opening it counts as a request of the account. ' +
        'With `after` it begins after that event, so that a reader who lost the connection misses nothing. ' +
        'Closes with 4008 when the reader is too slow, with 4010 when events after `after` are not kept any more, ' +
        'with 4001 when the key or the session ends that asked for the token, with 1001 when the service stops.',
      querystring: Type.Object({
        token: Type.Optional(Type.Unknown({ description: 'From `POST /stream/token`.' })),
        after: Type.Optional(
          Type.Unknown({ description: 'The last `seq` that was read; 0 = from the first event that is kept.' }),
        ),
      }),
      response: {
        101: { description: 'The stream is open.' },
        ...openErrors(401, 403, 409, 422, 426, 429),
      },
    },
    handler: async () => {
      throw new Refusal(426, 'Open a WebSocket here.', { headers: { upgrade: 'websocket', connection: 'upgrade' } })
    },
  })

  const hub = new StreamHub({ events: door.repositories.events, log: door.log, turns })
  upgrades.at('/stream', streamUpgrade(door, hub, { turns, limits, ended }))
  ended.onEnd(uuid => hub.end(uuid))
  // Before the sockets are cut, so that readers hear why.
  app.addHook('preClose', async () => hub.close())
  return hub
}

function streamUpgrade(
  door: SwitchDoor,
  hub: StreamHub,
  { turns, limits, ended }: Omit<StreamNeeds, 'upgrades'>,
): UpgradeHandler {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
    maxFragments: maxMessageFragments,
  })
  return async (request, url, socket, head) => {
    const token = door.repositories.streamTokens.read(url.searchParams.get('token') ?? '', Date.now())
    if (token === undefined || ended.has(token.by)) {
      throw new Refusal(401, 'Invalid or expired stream token.', { headers: { 'www-authenticate': 'Bearer' } })
    }
    const { account, by, untilUnix } = token
    if (!isAllowedOrigin(request, door.settings)) {
      throw new Refusal(403, 'Pages of this origin may not open the stream.')
    }
    limits.countRequest(account, performance.now())
    const after = afterOf(url.searchParams.get('after'))
    const { quotas } = door.repositories
    // The log before the stream opens: what happens once it is open is not missed.
    const [limit, log] = await Promise.all([quotas.streamLimit(account), hub.logOf(account)])
    // However many were looked up together: one is opened in a turn of the event loop.
    await turns.next(account)
    if (ended.has(by)) throw new Refusal(401, 'Invalid or expired stream token.')
    if (hub.isClosed) throw new Refusal(503, 'The service is closing.')
    if (hub.sizeOf(account) >= limit) throw new Refusal(409, quotaSentence('streamConnections', limit))
    server.handleUpgrade(request, socket, head, opened => {
      hub.join(account, { socket: opened, wire: socket, log, after, by, untilUnix })
      const size = hub.sizeOf(account)
      if (!isNoticed(size, limit)) return
      quotas.streamOpened(account, size, limit, Date.now()).catch((fault: unknown) => {
        door.log.error({ fault: String(fault) }, 'a quota notice failed')
      })
    })
  }
}

function afterOf(text: string | null): number | undefined {
  if (text === null || text === '') return undefined
  if (!/^\d{1,15}$/.test(text)) throw invalid('after', 'must be the seq of an event')
  return Number(text)
}
