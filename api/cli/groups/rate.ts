import { parse } from 'yaml'
import { type Action, type Group, list, readInput } from '../action/action.ts'
import { UsageError } from '../action/arguments.ts'

const destinationsPath = '/operator/destinations'

const deckTable: Action['table'] = {
  rows: 'rates',
  columns: [
    ['prefix', 'prefix'],
    ['direction', 'direction'],
    ['KES a minute', 'rate_per_minute'],
    ['increment s', 'increment_seconds'],
    ['minimum s', 'minimum_seconds'],
    ['connection fee', 'connection_fee'],
  ],
}

export const rate: Group = {
  name: 'rate',
  summary: 'the rate deck, and where calls may go',
  examples: ['sauti rate set rates.yaml', 'sauti rate allow --allowed +881'],
  actions: [
    {
      name: 'list',
      words: [],
      summary: 'the whole deck',
      access: 'operator',
      flags: [],
      request: () => ({ method: 'GET', path: '/operator/rates' }),
      table: deckTable,
    },
    {
      name: 'set',
      words: ['file'],
      summary: 'replace the deck by a JSON or YAML file: a list of rates, or { rates: […] }; - is standard input',
      access: 'operator',
      flags: [],
      request: ({ word }) => ({ method: 'PUT', path: '/operator/rates', body: deckOf(word('file')) }),
      table: deckTable,
    },
    {
      name: 'destinations',
      words: [],
      summary: 'blocked and allowed prefixes',
      access: 'operator',
      flags: [],
      request: () => ({ method: 'GET', path: destinationsPath }),
    },
    {
      name: 'allow',
      words: [],
      summary: 'replace the list of blocked prefixes, of allowed ones, or both; what is not given stays',
      access: 'operator',
      flags: [list('blocked', 'blocked', 'prefixes with commas'), list('allowed', 'allowed', 'prefixes with commas')],
      request: async ({ fields }, client) => {
        if (Object.keys(fields).length === 0)
          throw new UsageError('sauti rate allow: give --blocked, --allowed or both')
        // The API replaces both lists: one that is left out must not unblock what the operator blocked before.
        const { value } = await client.request({ method: 'GET', path: destinationsPath })
        return { method: 'PUT', path: destinationsPath, body: { ...(value as object), ...fields } }
      },
    },
  ],
}

function deckOf(path: string): unknown {
  let deck: unknown
  try {
    // YAML reads JSON too.
    deck = parse(readInput(path).toString())
  } catch (fault) {
    if (fault instanceof UsageError) throw fault
    throw new UsageError(`${path} is neither JSON nor YAML: ${String((fault as Error).message).split('\n')[0]}`)
  }
  return Array.isArray(deck) ? { rates: deck } : deck
}
