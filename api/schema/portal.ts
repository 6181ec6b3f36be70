import { Type } from '@sinclair/typebox'
import { choice, nullable, resource, timestamp, urlOut, uuidOut } from './field.ts'
import { AccountOverview } from './overview.ts'

const origin = choice(['key', 'link', 'operator'], 'What opened it: an API key, a one-time link, or an operator.')

export const PortalSession = Type.Object(
  {
    uuid: uuidOut(),
    origin,
    address: Type.String({ description: 'Where the browser was when it signed in.', examples: ['203.0.113.7'] }),
    user_agent: Type.String({ description: 'What the browser calls itself.' }),
    created_at: timestamp('When it was opened.'),
    last_used_at: timestamp('To within a minute.'),
    expires_at: timestamp('Then it ends, or two hours after its last use.'),
  },
  { $id: 'PortalSession' },
)

export const SignedIn = Type.Object(
  {
    kind: choice(['customer', 'operator'], 'What it may do: an account’s routes, or the operator’s.'),
    session: uuidOut('The session.'),
    account_name: nullable(Type.String({ examples: ['Acme'] }), { description: 'Whose it is; null for an operator.' }),
    origin,
    form_token: Type.String({
      description: 'Goes with every request of the session in the header `X-Sauti-Csrf`.',
      examples: ['q5nXyH3ySxJxkzJZq1Zb6sYk0c6cY5bLw0kS4v8b0rA'],
    }),
    expires_at: timestamp('Then it ends.'),
  },
  { $id: 'SignedIn' },
)

export const SignIn = Type.Object(
  {
    key: Type.Optional(
      Type.String({ maxLength: 512, description: 'An API key, or the operator’s.', examples: ['vk_…'] }),
    ),
    link: Type.Optional(Type.String({ maxLength: 128, description: 'The secret of a one-time link.' })),
  },
  { description: 'One of the two.' },
)

export const SessionQuery = Type.Object({
  with: Type.Optional(choice(['overview'], 'Also what `GET /account/overview` answers.')),
})

export const CurrentSessions = Type.Object(
  {
    customer: nullable(Type.Unsafe<typeof SignedIn.static>({ $ref: 'SignedIn#' })),
    operator: nullable(Type.Unsafe<typeof SignedIn.static>({ $ref: 'SignedIn#' })),
    overview: Type.Optional(resource(AccountOverview)),
  },
  { $id: 'CurrentSessions' },
)

export const PortalLink = Type.Object(
  {
    url: urlOut(
      'Opens one session, once.',
      'https://voice.example.com/#link=Zk3vEjRWeJq83vEjRWeJq83vEjRWeJq83vEjRWeJq8w',
    ),
    expires_in: Type.Integer(),
  },
  { $id: 'PortalLink' },
)

export const LinkOrder = Type.Object({
  sign_in_as: Type.Optional(
    Type.Boolean({ description: 'For the operator himself: the account’s event log says so. Default false.' }),
  ),
})
