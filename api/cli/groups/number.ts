import { type Group, pageFlags, segment, text, withQuery } from '../action/action.ts'

export const number: Group = {
  name: 'number',
  summary: 'phone numbers: the pool, and what accounts own',
  examples: ['sauti number add +254711000001 --fee 50', 'sauti number acquire 6f1c…'],
  actions: [
    {
      name: 'list',
      words: [],
      summary: 'all numbers of the switch',
      access: 'operator',
      flags: pageFlags,
      request: ({ fields }) => ({ method: 'GET', path: withQuery('/operator/numbers', fields) }),
      table: {
        rows: 'numbers',
        columns: [
          ['uuid', 'uuid'],
          ['number', 'number'],
          ['setup fee', 'setup_fee'],
          ['account', 'account'],
        ],
      },
    },
    {
      name: 'add',
      words: ['number'],
      summary: 'add an E.164 number to the pool',
      access: 'operator',
      flags: [text('fee', 'setup_fee', 'KES charged when it is acquired (0)')],
      request: ({ word, fields }) => ({
        method: 'POST',
        path: '/operator/numbers',
        body: { number: word('number'), ...fields },
      }),
    },
    {
      name: 'remove',
      words: ['uuid'],
      summary: 'take a number out of the pool',
      access: 'operator',
      flags: [],
      request: ({ word }) => ({ method: 'DELETE', path: `/operator/numbers/${segment(word('uuid'))}` }),
    },
    {
      name: 'owned',
      words: [],
      summary: "the account's numbers",
      access: 'customer',
      flags: [],
      request: () => ({ method: 'GET', path: '/numbers/' }),
      table: {
        rows: '',
        columns: [
          ['uuid', 'uuid'],
          ['number', 'number'],
          ['name', 'friendly_name'],
          ['inbound webhook', 'webhook_inbound.url'],
          ['source', 'webhook_inbound.source'],
        ],
      },
    },
    {
      name: 'acquire',
      words: ['uuid'],
      summary: 'acquire a number from the pool for the account',
      access: 'customer',
      flags: [],
      request: ({ word }) => ({ method: 'POST', path: '/numbers/acquire', body: { uuid: word('uuid') } }),
    },
    {
      name: 'release',
      words: ['uuid'],
      summary: 'give a number back to the pool',
      access: 'customer',
      flags: [],
      request: ({ word }) => ({ method: 'POST', path: '/numbers/release', body: { uuid: word('uuid') } }),
    },
    {
      name: 'webhook',
      words: ['uuid', 'url'],
      summary: 'set a number\'s own inbound webhook; "" inherits the account\'s',
      access: 'customer',
      flags: [text('name', 'friendly_name', "owner's label")],
      request: ({ word, fields }) => ({
        method: 'POST',
        path: '/numbers/configure',
        body: { uuid: word('uuid'), webhook_urls: { voice_inbound: word('url') }, ...fields },
      }),
    },
  ],
}
