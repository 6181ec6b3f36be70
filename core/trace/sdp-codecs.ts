/** Payload types that need no rtpmap (RFC 3551 §6), as far as phones use them. */
const staticTypes: Readonly<Record<string, string>> = {
  0: 'PCMU',
  3: 'GSM',
  4: 'G723',
  8: 'PCMA',
  9: 'G722',
  18: 'G729',
}
const notSpeech: ReadonlySet<string> = new Set(['telephone-event', 'CN', 'red'])

/** Codecs of speech that the SDP in a message names, in their order; none where it has no SDP. */
export function codecsIn(message: string): readonly string[] {
  const [, types = ''] = /^m=audio \d+ \S+ ([\d ]+)/m.exec(message) ?? []
  const named = new Map([...message.matchAll(/^a=rtpmap:(\d+) ([\w.-]+)\//gm)].map(([, type, name]) => [type, name]))
  const codecs = types.split(' ').flatMap(type => named.get(type) ?? staticTypes[type] ?? [])
  return [...new Set(codecs.filter(name => !notSpeech.has(name)))]
}
