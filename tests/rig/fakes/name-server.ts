import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, isIPv4, type Server } from 'node:net'

/** How a name is answered. */
export interface Reply {
  readonly addresses?: readonly string[]
  readonly srv?: readonly { readonly name: string; readonly port: number }[]
  readonly cname?: string
  readonly ttlSeconds?: number
  /** Nothing is said at all. */
  readonly isSilent?: boolean
  readonly afterMs?: number
  /** 2 = SERVFAIL, 3 = NXDOMAIN. */
  readonly code?: number
  /** UDP says only that TCP knows (RFC 1035 §4.2.1, RFC 7766). */
  readonly isTruncated?: boolean
}

export interface Question {
  readonly name: string
  readonly type: 'A' | 'AAAA' | 'SRV' | 'NAPTR' | string
  readonly transport: 'udp' | 'tcp'
}

const types: Readonly<Record<number, string>> = { 1: 'A', 28: 'AAAA', 33: 'SRV', 35: 'NAPTR' }
const [typeA, typeCname, typeAaaa, typeSrv] = [1, 5, 28, 33]

const mostTries = 20

/** A port that the system gives for UDP may be in use for TCP: then another is asked for. */
async function bothOnOnePort(): Promise<{ readonly udp: Socket; readonly tcp: Server }> {
  for (let tries = 1; ; tries++) {
    const udp = createSocket('udp4')
    udp.bind(0, '127.0.0.1')
    await once(udp, 'listening')
    const tcp = createServer()
    tcp.listen(udp.address().port, '127.0.0.1')
    try {
      await once(tcp, 'listening')
      return { udp, tcp }
    } catch (fault) {
      udp.close()
      if ((fault as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tries === mostTries) throw fault
    }
  }
}

/** A DNS server on loopback that answers with the given records; NXDOMAIN for any other name. */
export class NameServer {
  readonly questions: Question[] = []
  readonly #answer: (question: Question) => Reply | undefined
  readonly #udp: Socket
  readonly #tcp: Server

  private constructor(answer: (question: Question) => Reply | undefined, udp: Socket, tcp: Server) {
    this.#answer = answer
    this.#udp = udp
    this.#tcp = tcp
  }

  static async open(answer: (question: Question) => Reply | undefined): Promise<NameServer> {
    const { udp, tcp } = await bothOnOnePort()
    const server = new NameServer(answer, udp, tcp)
    udp.on('message', (bytes, from) =>
      server.#reply(bytes, 'udp', reply => udp.send(reply, from.port, from.address, () => {})),
    )
    tcp.on('connection', socket => {
      socket.on('error', () => {})
      socket.on('data', (bytes: Buffer) =>
        server.#reply(bytes.subarray(2), 'tcp', reply => {
          const length = Buffer.alloc(2)
          length.writeUInt16BE(reply.length)
          socket.write(Buffer.concat([length, reply]))
        }),
      )
    })
    return server
  }

  /** As a setting names it. */
  get address(): string {
    return `127.0.0.1:${this.#udp.address().port}`
  }

  /** How often a name was asked for. */
  asked(name: string, type?: string): number {
    return this.questions.filter(question => question.name === name && (type === undefined || question.type === type))
      .length
  }

  async close(): Promise<void> {
    this.#udp.close()
    this.#tcp.close()
    await once(this.#udp, 'close')
  }

  #reply(query: Buffer, transport: Question['transport'], send: (reply: Buffer) => void): void {
    let at = 12
    const labels: string[] = []
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length))
      at += 1 + length
    }
    const typeCode = query.readUInt16BE(at + 1)
    const end = at + 5
    const name = labels.join('.').toLowerCase()
    const type = types[typeCode] ?? String(typeCode)
    const question = { name, type, transport }
    this.questions.push(question)
    const reply = this.#answer(question) ?? { code: 3 }
    if (reply.isSilent === true) return
    const isTruncated = reply.isTruncated === true && transport === 'udp'
    const records = isTruncated ? [] : recordsOf(reply, typeCode)
    const head = Buffer.from(query.subarray(0, 12))
    // Response, recursion desired and available (RFC 1035 §4.1.1).
    head.writeUInt16BE(0x8180 | (isTruncated ? 0x200 : 0) | (reply.code ?? 0), 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(records.length, 6)
    head.writeUInt32BE(0, 8)
    const bytes = Buffer.concat([head, query.subarray(12, end), ...records])
    if (reply.afterMs === undefined) send(bytes)
    else setTimeout(() => send(bytes), reply.afterMs)
  }
}

const nameOf = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map(label => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0]),
  ])

function recordsOf({ addresses = [], srv = [], cname, ttlSeconds = 60 }: Reply, type: number): Buffer[] {
  const record = (owner: Buffer, kind: number, data: Buffer) => {
    const fixed = Buffer.alloc(10)
    fixed.writeUInt16BE(kind, 0)
    fixed.writeUInt16BE(1, 2)
    fixed.writeUInt32BE(ttlSeconds, 4)
    fixed.writeUInt16BE(data.length, 8)
    return Buffer.concat([owner, fixed, data])
  }
  // RFC 1035 §4.1.4: a pointer to the question's name.
  const question = Buffer.from([0xc0, 12])
  const owner = cname === undefined ? question : nameOf(cname)
  const own: Buffer[] = []
  for (const address of addresses) {
    if (type === typeA && isIPv4(address)) own.push(record(owner, typeA, Buffer.from(address.split('.').map(Number))))
    if (type === typeAaaa && !isIPv4(address)) own.push(record(owner, typeAaaa, ipv6(address)))
  }
  if (type === typeSrv)
    for (const { name, port } of srv) {
      const fixed = Buffer.alloc(6)
      fixed.writeUInt16BE(port, 4)
      own.push(record(owner, typeSrv, Buffer.concat([fixed, nameOf(name)])))
    }
  return cname === undefined ? own : [record(question, typeCname, nameOf(cname)), ...own]
}

function ipv6(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::')
  const groups = (text: string) => text.split(':').filter(group => group !== '')
  const bytes = Buffer.alloc(16)
  groups(head).forEach((group, at) => {
    bytes.writeUInt16BE(Number.parseInt(group, 16), 2 * at)
  })
  const last = groups(tail)
  last.forEach((group, at) => {
    bytes.writeUInt16BE(Number.parseInt(group, 16), 16 - 2 * (last.length - at))
  })
  return bytes
}
