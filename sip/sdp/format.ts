import type { Attribute, Connection, MediaDescription, Origin, SessionDescription } from './session.ts'

/** RFC 8866 §5, in its order, CRLF. Line ends inside a value become spaces. */
export function formatSdp(session: SessionDescription): string {
  const lines = ['v=0']
  const add = (type: string, value: string | undefined) => {
    if (value !== undefined) lines.push(`${type}=${value}`)
  }
  if (session.origin !== undefined) add('o', formatOrigin(session.origin))
  add('s', session.name)
  add('i', session.information)
  add('u', session.uri)
  for (const email of session.emails) add('e', email)
  for (const phone of session.phones) add('p', phone)
  if (session.connection !== undefined) add('c', formatConnection(session.connection))
  for (const bandwidth of session.bandwidths) add('b', bandwidth)
  lines.push(...session.timing)
  add('k', session.key)
  for (const attribute of session.attributes) add('a', formatAttribute(attribute))
  for (const media of session.media) {
    add('m', formatMediaLine(media))
    add('i', media.title)
    for (const connection of media.connections) add('c', formatConnection(connection))
    for (const bandwidth of media.bandwidths) add('b', bandwidth)
    add('k', media.key)
    for (const attribute of media.attributes) add('a', formatAttribute(attribute))
  }
  return `${lines.map(line => (/[\r\n]/.test(line) ? line.replace(/[\r\n]+/g, ' ') : line)).join('\r\n')}\r\n`
}

const formatOrigin = (origin: Origin): string =>
  `${origin.username} ${origin.sessionId} ${origin.sessionVersion} IN ${origin.addressType} ${origin.address}`

const formatConnection = ({ addressType, address, scope }: Connection): string =>
  `IN ${addressType} ${address}${scope === undefined ? '' : `/${scope}`}`

const formatAttribute = ({ name, value }: Attribute): string => (value === undefined ? name : `${name}:${value}`)

function formatMediaLine({ media, port, portCount, protocol, formats }: MediaDescription): string {
  return [media, portCount === undefined ? port : `${port}/${portCount}`, protocol, ...formats].join(' ')
}
