import { Type } from '@sinclair/typebox'
import { choice, identifier, nullable, numberOut, paging, sidOut, timestamp, urlOut, uuidOut } from './field.ts'

export const defaultLinkSeconds = 300

export const Recording = Type.Object(
  {
    uuid: uuidOut(),
    call_uuid: uuidOut('The call it belongs to.'),
    call_sid: sidOut('The call it belongs to.'),
    duration_seconds: nullable(Type.Integer(), { description: 'Length of the audio; null while it is being made.' }),
    size_bytes: nullable(Type.Integer(), { description: 'Size of the file; null while it is being made.' }),
    media_format: choice(['wav', 'ogg'], 'Audio format.'),
    storage_backend: Type.String({ description: 'Where the file lives.', examples: ['local'] }),
    expires_at: nullable(timestamp('')),
    created_at: timestamp('When it began.'),
    from_number: Type.Optional(numberOut('Who called; only with `numbers=true`.')),
    to_number: Type.Optional(numberOut('Who was called; only with `numbers=true`.', '+254700000102')),
  },
  { $id: 'Recording' },
)

export const RecordingFilter = Type.Object({
  call_uuid: Type.Optional(identifier('Only recordings of this call.')),
  numbers: Type.Optional(choice(['true', 'false'], '`true`: with who called whom.')),
  ...paging,
})

export const DownloadOrder = Type.Object({
  uuid: identifier("The recording's uuid."),
  ttl_seconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 86_400,
      description: `Seconds that the URL is good for. Default ${defaultLinkSeconds}.`,
    }),
  ),
})

export const DownloadLink = Type.Object(
  {
    url: urlOut(
      'Needs no key; a client that has it may download until it expires.',
      'https://voice.example.com/recordings/files/0197d2f4-6c1e-7a52-9d1b-3f6c0a8e5b21?expires=1782894900&signature=q83vEjRWeJo',
    ),
    expires_in: Type.Integer({ description: 'Seconds.' }),
  },
  { $id: 'DownloadLink' },
)
