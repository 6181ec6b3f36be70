import { type Group, integer, segment, text } from '../action/action.ts'

export const capture: Group = {
  name: 'capture',
  summary: 'capture audio of calls for Wireshark: only what is asked for, and only from then on',
  examples: [
    'sauti capture start --call CA01M88E9XJ3BNTGJC --seconds 120',
    'sauti call trace CA01M88E9XJ3BNTGJC --operator --pcap call.pcapng --audio',
  ],
  actions: [
    {
      name: 'start',
      words: [],
      summary: 'capture the audio of a live call, or of all calls of an account',
      access: 'operator',
      flags: [
        text('call', 'call', 'sid or uuid of a live call'),
        text('account', 'account', 'uuid of an account: all its calls'),
        integer('seconds', 'seconds', 'how long (300, at most 3600)'),
      ],
      request: ({ fields }) => ({ method: 'POST', path: '/operator/captures', body: fields }),
    },
    {
      name: 'list',
      words: [],
      summary: 'what is captured now',
      access: 'operator',
      flags: [],
      request: () => ({ method: 'GET', path: '/operator/captures' }),
      table: {
        rows: '',
        columns: [
          ['uuid', 'uuid'],
          ['call', 'call'],
          ['account', 'account'],
          ['until', 'ends_at'],
        ],
      },
    },
    {
      name: 'stop',
      words: ['uuid'],
      summary: 'end a capture; what was captured stays with the traces',
      access: 'operator',
      flags: [],
      request: ({ word }) => ({ method: 'DELETE', path: `/operator/captures/${segment(word('uuid'))}` }),
    },
  ],
}
