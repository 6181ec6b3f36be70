import type { Static, TSchema } from '@sinclair/typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyTypeProvider,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'

/** A handler's `request.body` has the type that its schema describes. */
export interface TypeBoxProvider extends FastifyTypeProvider {
  validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown
  // Answers are compared with their schemas in tests, not in types: a renderer's readonly lists would not fit.
  serializer: unknown
}

export type Api = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression<RawServerDefault>,
  RawReplyDefaultExpression<RawServerDefault>,
  FastifyBaseLogger,
  TypeBoxProvider
>

/** Who may call a route: anybody, an account by its API key (the default), the operator, or either of these. */
export type Access = 'open' | 'customer' | 'operator' | 'either'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** It spends, or places a call: a suspended account gets its 403 before any fault of the request is reported. */
    spends?: boolean
    /** The handler gets the body as bytes, to have it parsed and validated elsewhere. */
    takesBytes?: boolean
    /** Addresses that need no key on this route. */
    isKeyless?: (address: string) => boolean
  }
}
