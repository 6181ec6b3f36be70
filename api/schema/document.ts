import { Type } from '@sinclair/typebox'
import { line, timestamp, urlOut, uuidOut } from './field.ts'

export const DocumentProblem = Type.Object(
  {
    line: Type.Integer({ description: 'From 1.' }),
    column: Type.Integer({ description: 'From 1.' }),
    code: Type.String({ examples: ['DOC.0422'] }),
    message: Type.String({ description: 'What is wrong there.', examples: ['<Shout> is no verb'] }),
  },
  { $id: 'DocumentProblem' },
)

const problems = Type.Array(Type.Unsafe<typeof DocumentProblem.static>({ $ref: 'DocumentProblem#' }))

export const HostedDocument = Type.Object(
  {
    uuid: uuidOut(),
    name: Type.String({ description: 'What it is for.', examples: ['Greeting'] }),
    url: urlOut('Use it as a webhook URL.', 'https://voice.example.com/hosted/Zk3vEjRWeJq83vEjRWeJq83vEjRWeJq8'),
    body: Type.String({ description: 'The verb document.', examples: ['<Response><Say>Hello</Say></Response>'] }),
    problems,
    created_at: timestamp(''),
    updated_at: timestamp(''),
  },
  { $id: 'HostedDocument' },
)

/** A document may hold at most 64 KB of UTF-8; the route measures bytes. */
const body = Type.String({ maxLength: 65_536, description: 'The verb document, at most 64 KB.' })

export const DocumentInput = Type.Object({ name: line('What it is for.'), body })
export const DocumentCheck = Type.Object({ body })
export const CheckedDocument = Type.Object({ valid: Type.Boolean(), problems }, { $id: 'CheckedDocument' })
