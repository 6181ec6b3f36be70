import { Type } from '@sinclair/typebox'
import { identifier, nullable, timestamp, uuidOut } from './field.ts'

export const defaultTokenSeconds = 3600
export const defaultConcurrentCalls = 1

export const PhoneToken = Type.Object(
  {
    uuid: uuidOut('What revoke takes.'),
    end_user: uuidOut("The end-user's uuid."),
    extension_number: Type.String({ description: "The end-user's extension.", examples: ['1001'] }),
    max_concurrent: Type.Integer({ description: 'Calls that may live at once.' }),
    is_valid: Type.Boolean({ description: 'Whether it is still usable.' }),
    expires_at: nullable(timestamp('')),
    revoked_at: nullable(timestamp('')),
    created_at: nullable(timestamp('')),
  },
  { $id: 'PhoneToken' },
)

export const IceServer = Type.Object(
  {
    urls: Type.Array(Type.String(), { examples: [['stun:stun.example.com:3478']] }),
    username: Type.Optional(Type.String({ description: 'Of a relay: `expiry:uuid`.' })),
    credential: Type.Optional(Type.String({ description: 'Of a relay: good until its expiry.' })),
  },
  { $id: 'IceServer' },
)

const wholeOrNull = (maximum: number, description: string) =>
  Type.Optional(
    Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 1,
      maximum,
      description,
      'x-problem': `must be from 1 to ${maximum}`,
    }),
  )

export const MintOrder = Type.Object({
  uuid: identifier("The end-user's uuid."),
  ttl_seconds: wholeOrNull(3600, `Seconds that it is good for. Default ${defaultTokenSeconds}.`),
  max_concurrent: wholeOrNull(10, `Calls that may live at once. Default ${defaultConcurrentCalls}.`),
})

export const MintedToken = Type.Object(
  {
    token: Type.String({ description: "A JWT; exactly what the browser SDK's `authenticate` takes." }),
    phone_token: Type.Unsafe<typeof PhoneToken.static>({ $ref: 'PhoneToken#' }),
    iceServers: Type.Array(Type.Unsafe<typeof IceServer.static>({ $ref: 'IceServer#' }), {
      description: 'STUN and TURN servers, as `RTCPeerConnection` takes them.',
    }),
  },
  { $id: 'MintedToken' },
)
