/** What a customer sees of a carrier's message: fields that name no host of it. Allowed, not forbidden. */
const shownHeaders =
  /^(CSeq|Reason|Content-Type|Content-Length|Retry-After|X-Voice-[\w-]+|Max-Forwards|RSeq|Session-Expires|Min-SE)\s*:/i
const namedHeaders = /^(From|To|f|t)\s*:\s*(?:"[^"]*"\s*)?<?sips?:([^@>;:]*)@?[^\r\n]*/i
const shownSdp = /^(v=|s=|t=|a=(rtpmap|fmtp|ptime|maxptime|sendrecv|sendonly|recvonly|inactive|mid|rtcp-mux|setup))/
const userOf = (uri: string): string => /^sips?:([^@>;]*)@/i.exec(uri)?.[1] ?? ''

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

/** The message without addresses, hosts and software of the carrier. */
export function carriersRemoved(message: string): string {
  const [head = '', body = ''] = message.split(/\r?\n\r?\n/, 2)
  const [start = '', ...headers] = head.split(/\r?\n/)
  const [method = '', uri = ''] = start.split(' ')
  const first = start.startsWith('SIP/2.0 ')
    ? start.replace(/\S+/g, word => (namesHost(word) ? '…' : word))
    : `${method} sip:${userOf(uri)}@carrier SIP/2.0`
  const kept = headers.flatMap(line => {
    const named = namedHeaders.exec(line)
    if (named !== null) return [`${named[1]}: <sip:${named[2]}@carrier>`]
    return shownHeaders.test(line) ? [line] : []
  })
  const sdp = body.split(/\r?\n/).flatMap(line => {
    if (line.startsWith('m=')) return [line.replace(/^(m=\w+) \d+/, '$1 …')]
    return shownSdp.test(line) ? [line] : []
  })
  return [first, ...kept, '', ...sdp].join('\r\n')
}

/** Two dots with something before each, as addresses and domains have them. */
function namesHost(word: string): boolean {
  const first = word.indexOf('.', 1)
  return first !== -1 && word.indexOf('.', first + 2) !== -1
}
