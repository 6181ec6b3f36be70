import { readFileSync } from 'node:fs'
import type { Command } from './command.ts'

/** Beside package.json: in what is built of the sources, and in the bundle. A checkout has none. */
const file = new URL('../../THIRD-PARTY-NOTICES', import.meta.url)

/** `sauti licences`: the notices of everything that a package or the executable carries. */
export const licences: Command = {
  name: 'licences',
  summary: 'print the licences of the bundled software',
  words: [],
  about:
    'Prints the notices and licences of the programs and libraries that this package or executable carries, and where the source\nof those under the GPL and LGPL is available.',
  flags: [],
  settings: [],
  examples: ['sauti licences | less'],
  exits: {
    0: 'printed',
    1: 'this is a checkout: npm run build writes dist/THIRD-PARTY-NOTICES',
    2: 'an argument or flag is wrong',
  },
  needsNoSettings: true,
  run: async ({ print }) => {
    let text: string
    try {
      text = readFileSync(file, 'utf8')
    } catch {
      print('A checkout carries nothing of others: npm run build writes dist/THIRD-PARTY-NOTICES for what it builds.')
      return 1
    }
    print(text.trimEnd())
    return 0
  },
}
