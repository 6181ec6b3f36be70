import { readFileSync } from 'node:fs'
import { generated, page } from './markdown.ts'

/** Files in docs/examples/calls without their endings, title, what to know. */
export const callTasks: readonly (readonly [name: string, title: string, words: string])[] = [
  ['menu', 'Menu', 'Digits choose. A wrong digit is announced; no digit ends the call.'],
  ['voicemail', 'Voicemail', 'The desk rings first. A caller who hangs up while speaking has left a message, too.'],
  [
    'support-queue',
    'Support queue',
    'Customers wait in a room with music until an agent comes, who is called with the path `/agent`.',
  ],
  ['click-to-call', 'Click to call', 'The office places a call to its agent, and the document dials the customer.'],
  ['forwarding', 'Call forwarding with a time-out', 'The mobile, then the office, then words.'],
  [
    'masked-numbers',
    'Masked numbers',
    "Two people reach each other by a number of yours, and neither sees the other's.",
  ],
  ['spoken-code', 'A second factor, spoken', 'A call that is placed by the API carries the code.'],
  ['reminder', 'Reminder with an answer', 'A placed call whose callee presses a key.'],
  ['recorded-call', 'Recording with consent', 'Without consent the same call goes on without a recording.'],
  ['dial-by-extension', 'Dial by extension', 'The caller types it; the phone of that end-user rings.'],
  ['browser-phone', 'Browser phone', 'Out to any number, and in to the phone of the desk.'],
  ['after-hours', 'After hours', 'By the clock of Nairobi, which a test sets.'],
]

/** File in docs/examples without its ending, title, what to know. */
export const exampleTasks: readonly (readonly [name: string, title: string, words: string])[] = [
  ['set-webhook', 'Set a webhook', 'The account default for incoming calls, and what is played when it fails.'],
  [
    'answer-call',
    'Verify a signature, answer with a document',
    'Every webhook is signed with the secret of the account over the URL as it was set (or stands in the document; a relative one as it leads), the timestamp and the raw body. A server that puts the URL together from the request, as here, needs one that is set with its path: it sees `https://example.com` as `https://example.com/`.',
  ],
  ['place-call', 'Place a call', 'Dials `to`, shows `from`, and on answer asks `url` for a document.'],
  ['hang-up', 'End a call', 'The newest one; a call that has ended already stays as it is.'],
  ['list-calls', 'List calls', 'By direction, part of a number and time; page by page.'],
  [
    'get-number',
    'Acquire and set up a number',
    'The setup fee is charged once, however often the request is repeated.',
  ],
  ['host-document', 'Host a document', 'Its URL is a webhook like any other, without a server of yours.'],
  ['play-asset', 'Upload audio and play it', 'WAV of at most 20 MB; the bytes decide, not the Content-Type.'],
  ['mint-phone-token', 'Mint a phone token', 'On your backend; only `token` and `iceServers` go to the browser.'],
  ['receive-callbacks', 'Receive status callbacks', 'What each code carries: [events](events.md).'],
  ['event-stream', 'Connect to the event stream', 'The same events over a WebSocket, in order and without a gap.'],
  ['download-recording', 'Download a recording', 'The newest one, by a signed link that takes Range and HEAD.'],
]

const languages = [
  { ending: 'sh', name: 'sh', title: 'curl' },
  { ending: 'ts', name: 'ts', title: 'TypeScript' },
  { ending: 'py', name: 'python', title: 'Python' },
] as const

const folder = new URL('../../docs/examples/', import.meta.url)

const source = (name: string): string => readFileSync(new URL(name, folder), 'utf8').trimEnd()

/** `docs/examples.md`: the files in `docs/examples`, which tests run, with real calls and against a real switch. */
export function examplesPage(): string {
  return page(
    '# Examples',
    generated,
    'Twelve tasks for documents, each with a unit test, and twelve for the HTTP API.',
    '## Calls, with their unit tests',
    `Each is a function in [examples/calls](examples/calls/) that answers every request for a document of its call. \`sauti.onCall(menu)\` runs it in a program
that embeds the switch, and a web server answers with \`String(menu(call))\`. The test beside it plays the callers in virtual time ([sauti/testing](library.md#sautitesting)):
an hour of talk takes milliseconds. All of them run with \`node --test\`, and the same calls have been placed with real phones and give the same course.`,
    ...callTasks.flatMap(([name, title, words]) => [
      `### ${title}`,
      words,
      `\`\`\`ts\n${source(`calls/${name}.ts`)}\n\`\`\``,
      `\`\`\`ts\n${source(`calls/${name}.test.ts`)}\n\`\`\``,
    ]),
    '## The API, in three languages',
    `Each block is a file in [examples](examples/) and runs as it stands with \`BASE_URL\` and \`API_KEY\` in the environment: curl in a POSIX shell, TypeScript by
Node 22.18 or newer without packages, Python 3.8 or newer without packages. The numbers are those that \`npm start\` makes. \`example.com\` is where your own
server would be; the two servers here listen on \`PORT\` and are known outside as \`PUBLIC_URL\`.`,
    ...exampleTasks.flatMap(([name, title, words]) => [
      `### ${title}`,
      words,
      ...languages.map(({ ending, name: language, title: shown }) => {
        const text = source(`${name}.${ending}`)
        const block = `\`\`\`${language}\n${text}\n\`\`\``
        return ending === 'sh' ? block : `<details><summary>${shown}</summary>\n\n${block}\n\n</details>`
      }),
    ]),
  )
}
