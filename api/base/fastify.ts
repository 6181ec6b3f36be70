import type { Static, TSchema } from '@sinclair/typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifySchema,
  FastifySchemaCompiler,
  FastifyServerOptions,
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

type SchemaController = NonNullable<FastifyServerOptions['schemaController']>
type ValidatorFactory = NonNullable<NonNullable<SchemaController['compilersFactory']>['buildValidator']>

/**
 * How an app checks what comes in; what goes out it writes as it is. Given as an option, and not to the app that is made:
 * without one Fastify loads compilers of its own, a twentieth of the time of a start.
 */
export const schemasBy = (validatorCompiler: FastifySchemaCompiler<FastifySchema>): SchemaController => ({
  compilersFactory: {
    // Its type is of Ajv's schemas, any other compiler is as good (Fastify's `setValidatorCompiler` takes it).
    buildValidator: (() => validatorCompiler) as unknown as ValidatorFactory,
    // Renderers write exactly what the schemas say (a test compares them): nothing is stripped or coerced on the way out.
    buildSerializer: () => () => JSON.stringify,
  },
})

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
