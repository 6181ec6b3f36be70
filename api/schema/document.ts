import { Type } from '@sinclair/typebox'
import { line, timestamp } from './field.ts'

export const DocumentProblem = Type.Object(
  {
    line: Type.Integer({ description: 'From 1.' }),
    column: Type.Integer({ description: 'From 1.' }),
    code: Type.String({ examples: ['DOC.0422'] }),
    message: Type.String(),
  },
  { $id: 'DocumentProblem' },
)

const problems = Type.Array(Type.Unsafe<typeof DocumentProblem.static>({ $ref: 'DocumentProblem#' }))

export const HostedDocument = Type.Object(
  {
    uuid: Type.String(),
    name: Type.String(),
    url: Type.String({ description: 'Use it as a webhook URL.' }),
    body: Type.String({ description: 'The verb document.' }),
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
