/** What a customer sees of a carrier's message: fields that name no host of it. Allowed, not forbidden. */
const shownHeaders = /^(CSeq|Content-Length|Max-Forwards|RSeq|Session-Expires|Min-SE)\s*:[^\r\n]*/i
/** Ours; what a carrier writes there is its own words. */
const ownHeaders = /^X-Voice-[\w-]+\s*:/i
/** Of these the part that has a fixed form: their texts and comments are the carrier's own words. */
const shortenedHeaders = /^(Reason|Retry-After|Content-Type)\s*:\s*([^\r\n]*)/i
const namedHeaders = /^(From|To|f|t)\s*:\s*(?:"[^"]*"\s*)?<?sips?:(?:([^@>;:\s]*)(?::[^@>\s]*)?@)?/i
const shownSdp = /^(v=|t=|a=(rtpmap|fmtp|ptime|maxptime|sendrecv|sendonly|recvonly|inactive|mid|rtcp-mux|setup))/
const userOf = (uri: string): string => /^sips?:([^@>;:]*)(?::[^@>]*)?@/i.exec(uri)?.[1] ?? ''

/** The start line, the method that it is about, and the status of a response. */
export function sipText(message: string): { readonly line: string; readonly method: string; readonly status?: number } {
  const line = message.slice(0, Math.max(0, message.indexOf('\n'))).trim()
  const response = /^SIP\/2\.0 (\d{3}) ?(.*)$/.exec(line)
  if (response !== null) {
    const method = /^CSeq\s*:\s*\d+\s+(\w+)/im.exec(message)?.[1] ?? ''
    return { line: `${response[1]} ${response[2]}`.trim(), method, status: Number(response[1]) }
  }
  const [method = '', uri = ''] = line.split(' ')
  return { line: `${method} ${uri}`.trim(), method }
}

interface CarrierLeg {
  /** What the trunk got, or the number that it calls from. */
  readonly sent: string
  /** What a customer has dialled, in its place. */
  readonly dialled: string
  /** The message is ours. */
  readonly isSent: boolean
}

/** The message without addresses, hosts, words and software of the carrier. `phraseOf`: the RFCs' words for a status. */
export function carriersRemoved(
  message: string,
  phraseOf: (status: number) => string,
  { sent, dialled, isSent }: CarrierLeg = { sent: '', dialled: '', isSent: false },
): string {
  const [head = '', body = ''] = message.split(/\r?\n\r?\n/, 2)
  const [start = '', ...headers] = head.split(/\r?\n/)
  const [method = '', uri = ''] = start.split(' ')
  const carrier = (user: string): string => {
    if (user === '') return 'sip:carrier'
    return `sip:${user === sent ? dialled : withoutHosts(user)}@carrier`
  }
  const status = /^SIP\/2\.0 (\d{3})/.exec(start)?.[1]
  const user = userOf(uri)
  // RFC 3261 §12.2.1.1: a request within the dialog goes to the carrier's Contact, which often names its software.
  const target = isSent && user !== sent ? '' : user
  const first =
    status === undefined
      ? `${method} ${carrier(target)} SIP/2.0`
      : `SIP/2.0 ${status} ${phraseOf(Number(status))}`.trimEnd()
  const kept = headers.flatMap(line => {
    const named = namedHeaders.exec(line)
    if (named !== null) return [`${named[1]}: <${carrier(named[2] ?? '')}>`]
    const [, name, value = ''] = shortenedHeaders.exec(line) ?? []
    if (name !== undefined) return [`${name}: ${shortened(name, value)}`]
    return shownHeaders.test(line) || (isSent && ownHeaders.test(line)) ? [withoutHosts(line)] : []
  })
  const sdp = body.split(/\r?\n/).flatMap(line => {
    if (line.startsWith('m=')) return [line.replace(/^(m=\w+) \d+/, '$1 …')]
    if (line.startsWith('s=')) return ['s=-']
    return shownSdp.test(line) ? [withoutHosts(line)] : []
  })
  return [first, ...kept, '', ...sdp].join('\r\n')
}

/** Protocol and cause of each Reason (RFC 3326), the seconds of Retry-After, the type of Content-Type. */
function shortened(name: string, value: string): string {
  if (/^retry/i.test(name)) return /^\d+/.exec(value)?.[0] ?? ''
  if (/^content/i.test(name)) return withoutHosts(value.split(';', 1)[0] ?? '')
  const reasons = value.replace(/"(?:[^"\\]|\\.)*"?/g, '').split(',')
  return reasons
    .map(reason => {
      const protocol = withoutHosts(/^\s*([\w.-]*)/.exec(reason)?.[1] ?? '')
      const cause = /;\s*cause\s*=\s*(\d+)/i.exec(reason)?.[1]
      return cause === undefined ? protocol : `${protocol};cause=${cause}`
    })
    .join(', ')
}

const withoutHosts = (text: string): string => text.replace(/\S+/g, word => (namesHost(word) ? '…' : word))

/** Two dots with something before each, as addresses and domains have them. */
function namesHost(word: string): boolean {
  const first = word.indexOf('.', 1)
  return first !== -1 && word.indexOf('.', first + 2) !== -1
}
