import { eventCatalogue } from '../../core/events/catalogue.ts'
import { type DataFields, eventDataFields } from '../../core/events/data-fields.ts'
import { retryDelaysMs } from '../../core/webhooks/retry.ts'
import { code, generated, page, table } from './markdown.ts'

const seconds = retryDelaysMs.map(delay => delay / 1000).join(', ')

const envelope = table(
  ['Field', 'Meaning'],
  [
    ['`id`', 'Callback only. The same across retries: use it to drop what you have seen.'],
    ['`accountId`', 'Callback only. uuid of the account.'],
    ['`seq`', "Stream only. Place in the account's events, 1, 2, 3 …; what `after` takes."],
    ['`code`', 'Switch on this. Codes never change their meaning.'],
    ['`event`', 'The same for people; also the header `X-Voice-Event`.'],
    ['`sid`', 'The call; empty when it is about none.'],
    ['`customPayload`', 'What was attached to the call; only when something was.'],
    ['`createdAt`', 'When it happened.'],
    ['`data`', 'By code, below.'],
  ],
)

/** `docs/events.md`: the catalogue, and the fields of `data`. */
export function eventsPage(): string {
  const catalogue = Object.entries(eventCatalogue).map(([name, { event, callback, when }]) => [
    code(name),
    code(event),
    callback ? 'callback, stream' : 'stream',
    when,
  ])
  return page(
    '# Events',
    generated,
    'One envelope, two ways: a signed POST to the `status` webhook (callback), and a text message on the WebSocket `/stream`.',
    envelope,
    `A callback is delivered by any 2xx answer that is read to its end within 10 s and 64 KB. Otherwise it is sent again after ${seconds} s, each time
with the same \`id\` and a fresh signature, also across restarts. The stream sends every event once and in order; with \`?after=<seq>\` it begins
after that event.`,
    '## Catalogue',
    table(['Code', 'Event', 'Goes to', 'When'], catalogue),
    '## Data',
    'A field with `?` is not always there.',
    ...groups().map(({ codes, fields }) =>
      [
        `### ${codes.join(', ')}`,
        table(
          ['Field', 'Meaning'],
          Object.entries(fields).map(([name, meaning]) => [fieldName(name), meaning]),
        ),
      ].join('\n\n'),
    ),
  )
}

const fieldName = (name: string): string => (name.endsWith('?') ? `${code(name.slice(0, -1))} ?` : code(name))

/** Codes with the same fields are described together. */
function groups(): { codes: string[]; fields: DataFields }[] {
  const found: { codes: string[]; fields: DataFields }[] = []
  for (const [name, fields] of Object.entries(eventDataFields)) {
    const same = found.find(group => group.fields === fields)
    if (same === undefined) found.push({ codes: [name], fields })
    else same.codes.push(name)
  }
  return found
}
