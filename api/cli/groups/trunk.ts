import { type FieldFlag, type Group, integer, list, pageFlags, segment, text, withQuery } from '../action/action.ts'

const fields: readonly FieldFlag[] = [
  text('name', 'name', 'what it is called'),
  text('host', 'host', 'where outbound calls go'),
  integer('port', 'port', "0 = by DNS, or the transport's default"),
  text('transport', 'transport', 'udp, tcp or tls (udp)'),
  text('username', 'username', 'digest user name'),
  text('password', 'password', 'digest password'),
  { flag: 'register', field: 'register', kind: 'switch', help: 'register with it' },
  list('inbound-hosts', 'inbound_hosts', 'addresses or CIDR ranges its calls come from, with commas'),
  list('media-hosts', 'media_hosts', 'addresses or CIDR ranges its media may come from beside SDP and SIP'),
  text(
    'media-source',
    'media_source',
    'learned, or signalled: from the address in SDP alone, on shared ports (learned)',
  ),
  list('prefixes', 'prefixes', 'numbers it serves: +254,+255; "" serves none, use + for every number'),
  integer('strip', 'strip', 'characters taken off the front of the number (0)'),
  text('prepend', 'prepend', 'put before what is left'),
  integer('priority', 'priority', 'lower is tried first (0)'),
  integer('weight', 'weight', 'share among equals (1)'),
  integer('max-calls', 'max_calls', '0 = no limit'),
  integer('max-cps', 'max_cps', '0 = no limit'),
  list('codecs', 'codecs', 'PCMU,PCMA,G722,opus by preference; empty = all'),
  integer('options-ping', 'options_ping_seconds', 'seconds between pings, 0 = none'),
  text('srtp', 'srtp', 'off, optional or required (off)'),
]
const path = (uuid: string) => `/operator/trunks/${segment(uuid)}`

export const trunk: Group = {
  name: 'trunk',
  summary: "carriers' connections",
  examples: [
    'sauti trunk create --name carrier --host sip.carrier.example --prefixes + --inbound-hosts 198.51.100.0/24',
  ],
  actions: [
    {
      name: 'list',
      words: [],
      summary: 'all trunks',
      access: 'operator',
      flags: pageFlags,
      request: ({ fields }) => ({ method: 'GET', path: withQuery('/operator/trunks', fields) }),
      table: {
        rows: 'trunks',
        columns: [
          ['uuid', 'uuid'],
          ['name', 'name'],
          ['host', 'host'],
          ['port', 'port'],
          ['transport', 'transport'],
          ['inbound hosts', 'inbound_hosts'],
          ['prefixes', 'prefixes'],
          ['priority', 'priority'],
        ],
      },
    },
    {
      name: 'create',
      words: [],
      summary: 'add a trunk',
      access: 'operator',
      flags: fields,
      request: ({ fields }) => ({ method: 'POST', path: '/operator/trunks', body: fields }),
    },
    {
      name: 'show',
      words: ['uuid'],
      summary: 'one trunk',
      access: 'operator',
      flags: [],
      request: ({ word }) => ({ method: 'GET', path: path(word('uuid')) }),
    },
    {
      name: 'set',
      words: ['uuid'],
      summary: 'change a trunk',
      access: 'operator',
      flags: fields,
      request: ({ word, fields }) => ({ method: 'PATCH', path: path(word('uuid')), body: fields }),
    },
    {
      name: 'remove',
      words: ['uuid'],
      summary: 'remove a trunk',
      access: 'operator',
      flags: [],
      request: ({ word }) => ({ method: 'DELETE', path: path(word('uuid')) }),
    },
  ],
}
