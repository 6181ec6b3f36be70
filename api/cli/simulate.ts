import { behaviourNames } from '../../core/testing/remote.ts'
import type { Command } from './command.ts'

/** The number that is called when `--to` is not given. */
const ownNumber = '+254700000001'

/** `sauti simulate`: the course of a call through a document, in virtual time, with what it would cost. */
export const simulate: Command = {
  name: 'simulate',
  summary: 'run a document in virtual time and print the course of the call',
  words: ['DOCUMENT'],
  about: `Runs a call through DOCUMENT, a file or an http(s) URL, in virtual time: no call is placed and nothing is played. Prints what
the caller would hear, whom the switch would dial, every request, the end and the cost. An action or Redirect of a file
(/menu) reads the file of that name beside it (menu.xml); of a URL it is requested as the switch would, signed with --secret.
A call without an end is hung up after a day, or after 1,000 documents.`,
  settings: [],
  examples: [
    'sauti simulate menu.xml --press 1 --answer busy',
    'sauti simulate https://shamba.example/voice --secret s3cret --rate +254=3.00',
  ],
  exits: {
    0: 'the call was completed',
    1: 'it failed, ran the fallback because a document failed, or asked for 1,000 documents',
    2: 'an argument or flag is wrong',
  },
  flags: [
    { flag: 'press', value: 'KEYS', help: 'digits for each prompt in turn, separated by commas: 1,4711#' },
    { flag: 'speak', value: 'SECONDS', help: 'how long the caller speaks when it is recorded (3)' },
    { flag: 'hang-up-after', value: 'SECONDS', help: 'when the caller hangs up, counted from the start' },
    {
      flag: 'answer',
      value: 'HOW',
      help: `how dialled parties behave: ${behaviourNames.join(' ')}, or +254711…=busy,1001=no-answer (answer)`,
    },
    { flag: 'talk', value: 'SECONDS', help: 'how long an answered party talks before it hangs up (60)' },
    { flag: 'from', value: 'NUMBER', help: 'the caller (+254711111111)' },
    { flag: 'to', value: 'NUMBER', help: `the number of the account that is called (${ownNumber})` },
    { flag: 'users', value: 'EXTENSIONS', help: 'extensions that have a phone, separated by commas' },
    { flag: 'rate', value: 'PREFIX=KES', help: 'price of a minute, separated by commas: +254=3.00,+=25 (0)' },
    { flag: 'balance', value: 'KES', help: 'wallet of the account (1000.00)' },
    { flag: 'secret', value: 'SECRET', help: 'signing secret for requests to a URL' },
  ],

  run: async input => {
    const { runSimulate } = await import('./run-simulate.ts')
    return runSimulate(input, ownNumber)
  },
}
