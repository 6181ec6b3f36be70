import { Type } from '@sinclair/typebox'
import { codecNames, trunkMediaSources, trunkTransports } from '../../core/index.ts'
import { choice, line, optionalLine, uuidOut } from './field.ts'

const address = Type.String({
  maxLength: 64,
  pattern: '^[0-9a-fA-F:.]+(/\\d{1,3})?$',
  examples: ['203.0.113.0/28'],
  'x-problem': 'must be an IP address or a CIDR range',
})
const trunkPrefix = Type.String({
  pattern: '^\\+?\\d{0,15}$',
  examples: ['+254'],
  'x-problem': 'must be digits, as "+254", or "+" for every number',
})

const fields = {
  host: Type.String({
    maxLength: 253,
    pattern: '^([A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\\[?[0-9a-fA-F:]+\\]?)?$',
    description: 'Where outbound calls go; empty = inbound only.',
    examples: ['sip.carrier.example'],
    'x-problem': 'must be a host name or an IP address',
  }),
  port: Type.Integer({ minimum: 0, maximum: 65_535, description: '0 = by DNS, or the default of the transport.' }),
  transport: choice(trunkTransports, 'How it is reached.'),
  username: optionalLine('Digest user name.'),
  password: optionalLine('Digest password; answers show it as `********`.'),
  register: Type.Boolean({ description: 'Whether we register with it.' }),
  inbound_hosts: Type.Array(address, { maxItems: 1000, description: 'Addresses or CIDR ranges its calls come from.' }),
  media_hosts: Type.Array(address, {
    maxItems: 1000,
    description:
      'Addresses or CIDR ranges its media may come from, beside those that SDP and SIP name: for carriers that send audio from other hosts.',
  }),
  media_source: choice(
    trunkMediaSources,
    '`learned`: media is taken from the address in SDP, or learned from the hosts that SDP, SIP and `media_hosts` name. `signalled`: media comes from the address and port in SDP, each call from one of its own, and from nowhere else; plain calls share UDP ports, which takes less processor time. For carriers with public media addresses only.',
  ),
  prefixes: Type.Array(trunkPrefix, { maxItems: 10_000, description: 'Numbers it serves; "+" serves every number.' }),
  strip: Type.Integer({ minimum: 0, maximum: 16, description: 'Characters taken off the front of the E.164 number.' }),
  prepend: Type.String({
    pattern: '^[+0-9*#]{0,32}$',
    description: 'Put before what is left.',
    'x-problem': 'must be at most 32 of + 0-9 * #',
  }),
  priority: Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Lower is tried first.' }),
  weight: Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Share among equals.' }),
  max_calls: Type.Integer({ minimum: 0, maximum: 1_000_000, description: '0 = no limit.' }),
  max_cps: Type.Integer({ minimum: 0, maximum: 1_000_000, description: '0 = no limit.' }),
  codecs: Type.Array(choice(codecNames, 'A codec.'), {
    maxItems: 16,
    description: 'By preference; empty = all.',
  }),
  options_ping_seconds: Type.Integer({ minimum: 0, maximum: 86_400, description: '0 = no pings.' }),
  srtp: choice(
    ['off', 'optional', 'required'],
    'Encryption of media by keys in SDP (SRTP, RFC 4568): `optional` offers it, then plain RTP, and takes either; `required` takes and offers nothing else.',
  ),
}
const name = line('What it is called.', 200, 'Carrier')

export const Trunk = Type.Object({ uuid: uuidOut(), name, ...fields }, { $id: 'Trunk' })
export const TrunkChange = Type.Partial(Type.Object({ name, ...fields }))
export const NewTrunk = Type.Composite([Type.Object({ name }), Type.Partial(Type.Object(fields))])
