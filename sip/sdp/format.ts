import { TextWriter } from '../base/text-writer.ts'
import type { Attribute, Connection, MediaDescription, Origin, SessionDescription } from './session.ts'

const writer = new TextWriter()

/** RFC 8866 §5, in its order, CRLF. Line ends inside a value become spaces. */
export function formatSdp(session: SessionDescription): string {
  writer.clear()
  writeLine('v=', '0')
  if (session.origin !== undefined) writeOrigin(session.origin)
  writeLine('s=', session.name)
  writeLine('i=', session.information)
  writeLine('u=', session.uri)
  for (const email of session.emails) writeLine('e=', email)
  for (const phone of session.phones) writeLine('p=', phone)
  if (session.connection !== undefined) writeConnection(session.connection)
  for (const bandwidth of session.bandwidths) writeLine('b=', bandwidth)
  for (const timing of session.timing) writeLine('', timing)
  writeLine('k=', session.key)
  session.attributes.forEach(writeAttribute)
  session.media.forEach(writeMedia)
  return writer.text()
}

function writeMedia(media: MediaDescription): void {
  writeMediaLine(media)
  writeLine('i=', media.title)
  media.connections.forEach(writeConnection)
  for (const bandwidth of media.bandwidths) writeLine('b=', bandwidth)
  writeLine('k=', media.key)
  media.attributes.forEach(writeAttribute)
}

function writeLine(type: string, value: string | undefined): void {
  if (value === undefined) return
  writer.write(type)
  writer.write(value)
  writer.endLine()
}

function writeOrigin(origin: Origin): void {
  writer.write('o=')
  writer.write(origin.username)
  writeWord(origin.sessionId)
  writeWord(origin.sessionVersion)
  writeWord('IN')
  writeWord(origin.addressType)
  writeWord(origin.address)
  writer.endLine()
}

function writeConnection({ addressType, address, scope }: Connection): void {
  writer.write('c=IN')
  writeWord(addressType)
  writeWord(address)
  if (scope !== undefined) {
    writer.write('/')
    writer.write(scope)
  }
  writer.endLine()
}

function writeMediaLine({ media, port, portCount, protocol, formats }: MediaDescription): void {
  writer.write('m=')
  writer.write(media)
  writeWord(String(port))
  if (portCount !== undefined) {
    writer.write('/')
    writer.write(String(portCount))
  }
  writeWord(protocol)
  formats.forEach(writeWord)
  writer.endLine()
}

function writeAttribute({ name, value }: Attribute): void {
  writer.write('a=')
  writer.write(name)
  if (value !== undefined) {
    writer.write(':')
    writer.write(value)
  }
  writer.endLine()
}

/** After others. */
function writeWord(word: string): void {
  writer.write(' ')
  writer.write(word)
}
