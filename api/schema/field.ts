import { type Static, type TSchema, Type } from '@sinclair/typebox'

/** `x-problem` is what a 422 says when the value does not fit. */

export const decimal = (description: string) =>
  Type.String({
    pattern: '^\\d{1,9}(\\.\\d{1,4})?$',
    description,
    examples: ['12.50'],
    'x-problem': 'must be a decimal string of KES, as "12.50", with at most four decimals',
  })

export const signedDecimal = (description: string) =>
  Type.String({
    pattern: '^-?\\d{1,9}(\\.\\d{1,4})?$',
    description,
    examples: ['100.00', '-12.50'],
    'x-problem': 'must be a decimal string of KES, as "12.50" or "-12.50", with at most four decimals',
  })

/** Money in an answer. */
export const moneyOut = (description: string) =>
  Type.String({ pattern: '^-?\\d+\\.\\d{2,4}$', description, examples: ['12.50'] })

export const timestamp = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2026-07-01T08:30:00.000Z'] })

/** A uuid in an answer. */
export const uuidOut = (description = 'Stable identifier.') =>
  Type.String({ format: 'uuid', description, examples: ['0197d2f4-6c1e-7a52-9d1b-3f6c0a8e5b21'] })

/** A call's sid in an answer. */
export const sidOut = (description = 'Human-friendly id of the call.') =>
  Type.String({ pattern: '^CA[0-9A-HJKMNP-TV-Z]{16}$', description, examples: ['CA01JZXQ7R5T8K2M4N'] })

/** An absolute URL in an answer. */
export const urlOut = (description: string, example = 'https://example.com/voice') =>
  Type.String({ format: 'uri', description, examples: [example] })

/** A number in an answer: E.164, an extension, or whatever a caller is known by. */
export const numberOut = (description: string, example = '+254700000101') =>
  Type.String({ description, examples: [example] })

/** An object whose fields the sender chooses. */
export const openObject = (description: string, example: Readonly<Record<string, unknown>> = { order: 7 }) =>
  Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    additionalProperties: true,
    description,
    examples: [example],
  })

export const nullable = <T extends TSchema>(schema: T, options: { description?: string } = {}) =>
  Type.Union([schema, Type.Null()], options)

/** Controls (C0, DEL, C1, where U+0085 ends a line) and the line and paragraph separators of Unicode. */
const breaks = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029'

/** One line of text with something in it: a name, a label. */
export const line = (description: string, maxLength = 200, example = 'Acme') =>
  Type.String({
    minLength: 1,
    maxLength,
    examples: [example],
    pattern: `^[^\\S${breaks}]*[^\\s${breaks}][^${breaks}]*$`,
    description,
    'x-problem': `must be one line of 1 to ${maxLength} characters`,
  })

/** One line of text, perhaps empty. */
export const optionalLine = (description: string, maxLength = 200) =>
  Type.String({
    maxLength,
    pattern: `^[^${breaks}]*$`,
    description,
    'x-problem': `must be one line of at most ${maxLength} characters`,
  })

export const identifier = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 100,
    description,
    examples: ['0197d2f4-6c1e-7a52-9d1b-3f6c0a8e5b21'],
    'x-problem': 'must be an identifier',
  })

export const maxUrlLength = 2048
/** The scheme in any case (RFC 3986 §3.1), then a host. */
const absoluteUrl = '[hH][tT][tT][pP][sS]?://[^\\s\\u0000-\\u001f/?#][^\\s\\u0000-\\u001f]*'

export const url = (description: string) =>
  Type.String({
    maxLength: maxUrlLength,
    pattern: `^${absoluteUrl}$`,
    description,
    examples: ['https://example.com/voice'],
    'x-problem': `must be an absolute http or https URL of at most ${maxUrlLength} characters`,
  })

/** An absolute URL, or an empty string that clears it. */
export const urlOrBlank = (description: string) =>
  Type.String({
    maxLength: maxUrlLength,
    pattern: `^\\s*$|^${absoluteUrl}$`,
    description,
    'x-problem': `must be an absolute http or https URL of at most ${maxUrlLength} characters, or empty`,
  })

/** A whole number. No country code begins with 0 (E.164 §6.2.1): what does can be neither called nor presented. */
export const e164 = '\\+[1-9]\\d{6,14}'

/** `+254` and `254` mean the same. */
export const prefix = Type.String({
  pattern: '^\\+?\\d{1,15}$',
  description: 'First digits of E.164 numbers; `+254` and `254` mean the same.',
  examples: ['+254'],
  'x-problem': 'must be 1 to 15 digits, as "+254"',
})

/** A prefix of numbers, or of SIP URIs that documents name. */
export const ratePrefix = Type.String({
  pattern: '^(\\+?\\d{1,15}|sip:(([A-Za-z0-9_][A-Za-z0-9_.-]{0,252}|\\[[0-9A-Fa-f:.]{2,45}\\])(:\\d{1,5})?)?)$',
  description:
    'First digits of E.164 numbers; `+254` and `254` mean the same. Or where a `<Sip>` leads, outbound only: `sip:` is everywhere, `sip:pbx.example.com` that host, `sip:pbx.example.com:5080` that host and port.',
  examples: ['+254', 'sip:pbx.example.com'],
  'x-problem': 'must be 1 to 15 digits, as "+254", or sip: and a host, as "sip:pbx.example.com"',
})

export const choice = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], description })

/** A resource that is described once, under `components/schemas`. */
export const resource = <T extends TSchema>(schema: T) => Type.Unsafe<Static<T>>({ $ref: `${schema.$id}#` })
export const listOf = <T extends TSchema>(schema: T, description: string) =>
  Type.Array(resource(schema), { description })

/** A page of a list, under the list's own name: `{ calls, total, limit, offset }`. */
export const pageOf = <Name extends string, T extends TSchema>(name: Name, schema: T, order = 'newest first') =>
  Type.Object(
    {
      [name]: Type.Array(resource(schema)),
      total: Type.Integer({ minimum: 0, description: 'Rows that fit the filters.', examples: [1] }),
      limit: Type.Integer({ description: 'As asked for.', examples: [50] }),
      offset: Type.Integer({ description: 'As asked for.', examples: [0] }),
    },
    { description: `A page, ${order}.` },
  )

export const paging = {
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Rows of a page.' }),
  offset: Type.Integer({ minimum: 0, maximum: 1_000_000_000, default: 0, description: 'Rows to skip.' }),
}
export const Paging = Type.Object(paging)

export const searchOf = (description: string) => Type.Optional(Type.String({ maxLength: 100, description }))

export const message = (description: string) => Type.Object({ message: Type.String() }, { description })

export const byUuid = (what: string) => Type.Object({ uuid: identifier(`The ${what}'s uuid.`) })
