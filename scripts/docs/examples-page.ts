import { readFileSync } from 'node:fs'
import { generated, page } from './markdown.ts'

/** File in docs/examples without its ending, title, what to know. */
export const exampleTasks: readonly (readonly [name: string, title: string, words: string])[] = [
  ['set-webhook', 'Set a webhook', 'The account default for incoming calls, and what is heard when it fails.'],
  [
    'answer-call',
    'Verify a signature, answer with a document',
    'Every webhook is signed with the secret of the account over the URL as it was set, the timestamp and the raw body.',
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

/** `docs/examples.md`: the files in `docs/examples`, which a test runs against a real switch. */
export function examplesPage(): string {
  return page(
    '# Examples',
    generated,
    `Each block is a file in [examples](examples/) and runs as it stands with \`BASE_URL\` and \`API_KEY\` in the environment: curl in a POSIX shell, TypeScript by
Node 22.18 or newer without packages, Python 3.8 or newer without packages. The numbers are those that \`npm start\` makes. \`example.com\` is where your own
server would be; the two servers here listen on \`PORT\` and are known outside as \`PUBLIC_URL\`.`,
    ...exampleTasks.flatMap(([name, title, words]) => [
      `## ${title}`,
      words,
      ...languages.map(({ ending, name: language, title: shown }) => {
        const text = readFileSync(new URL(`${name}.${ending}`, folder), 'utf8').trimEnd()
        const block = `\`\`\`${language}\n${text}\n\`\`\``
        return ending === 'sh' ? block : `<details><summary>${shown}</summary>\n\n${block}\n\n</details>`
      }),
    ]),
  )
}
