import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { notFound, Refusal } from './refusal.ts'

/** The methods of one path; `:name` in `segments` stands for any segment. */
interface KnownPath {
  readonly url: string
  readonly segments: readonly string[]
  readonly methods: Set<string>
}

export interface KnownPaths {
  /** The path that a URL names; of several the one that is literal for longest. `*` is the whole server (RFC 9112 §3.2.4). */
  find(url: string): KnownPath | undefined
  /** All paths, once no further route is to be known. */
  complete(): readonly KnownPath[]
}

/** The paths of all routes that follow, with their methods: HEAD too where there is GET, unless the route says otherwise. */
export function collectPaths(app: FastifyInstance): KnownPaths {
  const paths = new Map<string, KnownPath>()
  let isComplete = false
  app.addHook('onRoute', route => {
    if (isComplete) return
    const url = route.url.length > 1 ? route.url.replace(/\/$/, '') : route.url
    const path = paths.get(url) ?? { url, segments: url.split('/'), methods: new Set() }
    paths.set(url, path)
    for (const method of [route.method].flat()) {
      path.methods.add(method)
      if (method === 'GET' && route.exposeHeadRoute !== false) path.methods.add('HEAD')
    }
  })
  return {
    find: url => (url === '*' ? allOf(paths.values()) : pathOf(url, paths.values())),
    complete: () => {
      isComplete = true
      return [...paths.values()]
    },
  }
}

/**
 * 405 with `Allow` for every known path, OPTIONS that names the methods, and 404 for all other paths: before the body is read,
 * since a refused request has no body worth reading. Register after what limits requests and before the routes; call what
 * it returns after them. Paths are compared here when no route has answered: a route for each refused method would take a sixth
 * of the time of a start.
 */
export function refuseOtherMethods(app: FastifyInstance, paths: KnownPaths): () => void {
  const refuse = async (request: FastifyRequest, reply: FastifyReply, path: KnownPath | undefined) => {
    // A known method that comes to here had a name that is too long.
    if (path === undefined || path.methods.has(request.method)) throw notFound('There is nothing at this path.')
    const allow = [...path.methods, 'OPTIONS'].sort().join(', ')
    if (request.method === 'OPTIONS') return reply.code(204).header('allow', allow).send()
    throw new Refusal(405, `${request.method} is not possible here; allowed: ${allow}.`, { headers: { allow } })
  }
  app.addHook('onRequest', async (request, reply) => {
    return request.is404 ? refuse(request, reply, paths.find(request.raw.url ?? '')) : undefined
  })
  return () => {
    const all = paths.complete()
    const named = all.filter(({ segments }) => segments.some(isName))
    // `GET /calls/originate` is no call with the uuid `originate`: what is literal in one path and `:name` in another.
    for (const path of all) {
      const others = named.filter(other => other !== path && matches(other, path.segments))
      const shadowed = new Set(
        others.flatMap(({ methods }) => [...methods]).filter(method => !path.methods.has(method)),
      )
      if (shadowed.size === 0) continue
      app.route({
        method: [...shadowed] as HTTPMethods[],
        url: path.url,
        schema: { hide: true },
        config: { access: 'open' },
        onRequest: (request, reply) => refuse(request, reply, path),
        handler: async () => undefined,
      })
    }
  }
}

const allOf = (paths: Iterable<KnownPath>): KnownPath => ({
  url: '*',
  segments: [],
  methods: new Set([...paths].flatMap(({ methods }) => [...methods])),
})

function pathOf(url: string, paths: Iterable<KnownPath>): KnownPath | undefined {
  const [path = ''] = url.split(/[?#;]/, 1)
  let segments: string[]
  try {
    segments = path
      .replace(/(?<=.)\/$/, '')
      .split('/')
      .map(decodeURIComponent)
  } catch {
    return undefined
  }
  let best: KnownPath | undefined
  for (const known of paths) {
    if (matches(known, segments) && (best === undefined || isMoreLiteral(known, best))) best = known
  }
  return best
}

const isName = (segment: string | undefined) => segment?.startsWith(':') === true

const matches = ({ segments }: KnownPath, asked: readonly string[]): boolean =>
  segments.length === asked.length &&
  segments.every((segment, at) => segment === asked[at] || (isName(segment) && asked[at] !== '' && !isName(asked[at])))

function isMoreLiteral(one: KnownPath, other: KnownPath): boolean {
  const at = one.segments.findIndex((segment, i) => isName(segment) !== isName(other.segments[i]))
  return at >= 0 && isName(other.segments[at])
}
