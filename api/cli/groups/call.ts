import { type Group, integer, pageFlags, segment, text, withQuery } from '../action/action.ts'
import type { Column } from '../action/table.ts'

/** Of the ladder: as asked for, else the terminal's, within what the API draws. */
const widthOf = (fields: Readonly<Record<string, unknown>>): number =>
  Math.min(400, Math.max(80, Number(fields.columns ?? process.stdout.columns ?? 100)))

const columns: readonly Column[] = [
  ['sid', 'sid'],
  ['direction', 'direction'],
  ['from', 'from_number'],
  ['to', 'to_number'],
  ['status', 'status'],
]

export const call: Group = {
  name: 'call',
  summary: 'live calls of the switch; calls of an account',
  examples: [
    'sauti call live',
    'sauti call originate --to +254711000001 --from +254700000001 --url https://shamba.example/voice',
  ],
  actions: [
    {
      name: 'live',
      words: [],
      summary: 'live calls of all accounts, with their legs',
      access: 'operator',
      flags: pageFlags,
      request: ({ fields }) => ({ method: 'GET', path: withQuery('/operator/calls', fields) }),
      table: {
        rows: 'calls',
        columns: [
          ...columns,
          ['since', 'created_at'],
          ['account', 'account'],
          ['codecs', 'legs.*.codec'],
          ['mos', 'legs.*.quality.mos'],
          ['loss %', 'legs.*.quality.loss_percent'],
          ['jitter ms', 'legs.*.quality.jitter_ms'],
          ['legs', 'legs.length'],
        ],
      },
    },
    {
      name: 'list',
      words: [],
      summary: "the account's calls, newest first",
      access: 'customer',
      flags: [
        text('direction', 'direction', 'inbound, outbound or internal'),
        text('status', 'status', 'initiated, ringing, answered, completed or failed'),
        text('search', 'search', 'any part of either number'),
        text('from', 'from_dt', 'created at or after, ISO-8601'),
        text('to', 'to_dt', 'created at or before, ISO-8601'),
        ...pageFlags,
      ],
      request: ({ fields }) => ({ method: 'GET', path: withQuery('/calls/', fields) }),
      table: {
        rows: 'calls',
        columns: [
          ...columns,
          ['reason', 'reason_code'],
          ['talk s', 'talk_seconds'],
          ['mos', 'quality.*.mos'],
          ['cost', 'cost'],
          ['at', 'created_at'],
        ],
      },
    },
    {
      name: 'show',
      words: ['uuid'],
      summary: "one of the account's calls",
      access: 'customer',
      flags: [],
      request: ({ word }) => ({ method: 'GET', path: `/calls/${segment(word('uuid'))}` }),
    },
    {
      name: 'trace',
      words: ['sid'],
      summary: 'all that happened in a call, as a ladder; a key of the account or, with --operator, of the operator',
      access: 'either',
      flags: [
        integer('columns', 'columns', 'width (that of the terminal, at least 80)'),
        text('pcap', 'pcap', 'file to write packets to, for Wireshark'),
        {
          flag: 'audio',
          field: 'audio',
          kind: 'switch',
          help: 'with --pcap: the audio that was captured (sauti capture; operator)',
        },
        { flag: 'follow', field: 'follow', kind: 'switch', help: 'go on until the call ends' },
        { flag: 'operator', field: 'operator', kind: 'switch', help: 'as the operator: with trunks and addresses' },
      ],
      request: ({ word, fields, isJson }) => {
        const path = `/calls/${segment(word('sid'))}/trace`
        if (fields.pcap !== undefined)
          return { method: 'GET', path: withQuery(`${path}.pcapng`, { audio: fields.audio }) }
        return { method: 'GET', path: withQuery(path, isJson ? {} : { format: 'text', columns: widthOf(fields) }) }
      },
      saveTo: ({ fields }) => (fields.pcap === undefined ? undefined : String(fields.pcap)),
      isText: true,
      follow: ({ word, fields, isJson }, client) =>
        fields.follow === true && fields.pcap === undefined
          ? import('../action/follow-trace.ts').then(({ followTrace }) =>
              followTrace(client, word('sid'), widthOf(fields), isJson, text => process.stdout.write(text)),
            )
          : undefined,
    },
    {
      name: 'dump',
      words: ['sid'],
      summary: 'state of a live call for support: document, money, SIP and media of each leg; no secrets',
      access: 'operator',
      flags: [],
      request: ({ word, isJson }) => ({
        method: 'GET',
        path: `/operator/calls/${segment(word('sid'))}/dump${isJson ? '' : '?format=text'}`,
      }),
      isText: true,
    },
    {
      name: 'originate',
      words: [],
      summary: 'place a call',
      access: 'customer',
      flags: [
        text('to', 'to', 'E.164, or an extension of the account'),
        text('from', 'from', 'a number that the account owns'),
        text('url', 'url', 'webhook that returns the verb document'),
        integer('timeout', 'timeout', 'seconds to wait for an answer (30)'),
        text('payload', 'customPayload', 'text that goes with the call'),
      ],
      request: ({ fields }) => ({ method: 'POST', path: '/calls/originate', body: fields }),
    },
    {
      name: 'hangup',
      words: ['sid'],
      summary: "end one of the account's calls",
      access: 'customer',
      flags: [],
      request: ({ word }) => ({ method: 'POST', path: '/calls/hangup', body: { sid: word('sid') } }),
    },
  ],
}
