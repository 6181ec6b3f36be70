import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { addTrunk, BedAccount, expectStatus, setRates } from '../tests/rig/beds/account.ts'
import { SwitchProcess } from '../tests/rig/beds/switch-process.ts'
import { Customer } from '../tests/rig/peers/customer.ts'
import { PlainCaller } from '../tests/rig/peers/plain-caller.ts'
import { RtpEndpoint } from '../tests/rig/peers/rtp-endpoint.ts'
import { freePort } from '../tests/rig/probes/ports.ts'
import { until } from '../tests/rig/probes/wait.ts'
import { Debugged, type Entry } from './walks/debugged.ts'

// `node scripts/walks.ts [--list]`: how many files one INVITE, one RTP packet, one originate and one document pass through.
// It runs a served switch under Node's inspector and stops at every function of ours that such a walk calls.

const isList = process.argv.includes('--list')
const inspected = { NODE_OPTIONS: '--inspect=127.0.0.1:0' }
const silence = new Uint8Array(160).fill(0xff)

interface End {
  readonly file: RegExp
  readonly functionName?: RegExp
}

interface Walk {
  readonly what: string
  /** The walk is over after its last entry into such a function. */
  readonly until: End
  readonly entries: readonly Entry[]
}

/**
 * Files entered, and returns: arrows between two files, each counted once, that lead back to a file that was entered before the
 * caller. Files that call no other are no returns: a parser of tokens is asked by everybody.
 */
function figuresOf({ what, until: end, entries }: Walk): string {
  const isEnd = ({ file, functionName }: Entry) =>
    end.file.test(file) && (end.functionName === undefined || end.functionName.test(functionName))
  const walked = entries.slice(0, entries.findLastIndex(isEnd) + 1)
  const entered = [...new Set(walked.map(({ file }) => file))]
  const callers = new Set(walked.filter(({ file, caller }) => file !== caller).map(({ caller }) => caller))
  const arrows = new Map<string, boolean>()
  for (const { file, caller, functionName } of walked) {
    if (caller === undefined || caller === file) continue
    const isReturn = callers.has(file) && entered.indexOf(file) < entered.indexOf(caller)
    const arrow = `${caller} ${isReturn ? '↩' : '→'} ${file}`
    if (isList && !arrows.has(arrow)) process.stderr.write(`${what}: ${arrow} ${functionName}\n`)
    arrows.set(arrow, isReturn)
  }
  const returns = [...arrows.values()].filter(isReturn => isReturn).length
  const rounds = walked.filter(
    ({ file, functionName }) => file.endsWith('/exchange.ts') && /\bhandle$/.test(functionName),
  )
  return `| ${what} | ${entered.length} | ${returns} | ${rounds.length} |`
}

async function open(env: Record<string, string>) {
  const on = await SwitchProcess.start({ ...env, ...inspected, SAUTI_LOG: 'info' })
  const address = () =>
    on.log.map(line => /Debugger listening on (ws:\S+)/.exec(line)?.[1]).find(found => found !== undefined)
  const debugged = await Debugged.connect(String(await until('the inspector', address)))
  await setRates(on)
  const account = await BedAccount.make(on)
  const customer = await Customer.open()
  const close = async () => {
    debugged.close()
    await customer.close()
    await on.close()
  }
  return { on, debugged, account, customer, close }
}

/** A trunk's peer that answers INVITE with 200 and other requests likewise, or rings only. */
async function callee(port: number, rtpPort: number | undefined) {
  const socket = createSocket('udp4')
  socket.bind(port, '127.0.0.1')
  await once(socket, 'listening')
  let invites = 0
  socket.on('message', (bytes, from) => {
    const message = bytes.toString()
    const method = message.split(' ')[0] ?? ''
    if (method === 'INVITE') invites++
    if (method === 'ACK' || method.startsWith('SIP/')) return
    const isInvite = method === 'INVITE'
    const kept = message.split('\r\n').filter(line => /^(Via|From|To|Call-ID|CSeq|Record-Route):/i.test(line))
    const tagged = kept.map(line => (/^To:/i.test(line) && !line.includes(';tag=') ? `${line};tag=callee` : line))
    const rings = isInvite && rtpPort === undefined
    const sdp = isInvite && !rings ? sdpOf(rtpPort!) : ''
    const type = sdp === '' ? [] : ['Content-Type: application/sdp']
    const head = [
      rings ? 'SIP/2.0 100 Trying' : 'SIP/2.0 200 OK',
      ...tagged,
      `Contact: <sip:c@127.0.0.1:${port}>`,
      ...type,
    ]
    socket.send([...head, `Content-Length: ${sdp.length}`, '', sdp].join('\r\n'), from.port, from.address)
  })
  return { invites: () => invites, close: () => socket.close() }
}

const sdpOf = (port: number) =>
  `v=0\r\no=- 7 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio ${port} RTP/AVP 0 101\r\na=rtpmap:101 telephone-event/8000\r\na=sendrecv\r\n`

type Bed = Awaited<ReturnType<typeof open>>

const media = { address: '127.0.0.1', port: 40_000 }
let callers = 0
const callerOf = ({ on, account }: Bed) =>
  PlainCaller.open({
    sipPort: on.sipPort,
    to: account.number,
    from: `+2547220000${String(++callers).padStart(2, '0')}`,
  })

async function inviteWalk(bed: Bed): Promise<readonly Entry[]> {
  const { on, debugged, account, customer } = bed
  await addTrunk(on, { name: 'in', port: await freePort(), prefixes: [] })
  await account.webhook(
    'voice_inbound',
    customer.on('/silent', () => {}),
  )
  return debugged.entriesOf(async () => {
    const asked = customer.to('/silent').length
    const caller = await callerOf(bed)
    void caller.invite(media).catch(() => {})
    await customer.post('/silent', asked, 30_000)
  })
}

async function originateWalk({ on, debugged, account }: Bed): Promise<readonly Entry[]> {
  const port = await freePort()
  const carrier = await callee(port, undefined)
  await addTrunk(on, { name: 'out', port, prefixes: ['+255'], inbound: false })
  const url = await account.document('<Pause/>')
  const entries = await debugged.entriesOf(async () => {
    const before = carrier.invites()
    const order = { from: account.number, to: `+2557000000${String(++callers).padStart(2, '0')}`, url }
    expectStatus(await account.api('POST', '/calls/originate', order), 201)
    await until('the INVITE', () => carrier.invites() > before, 30_000)
  })
  carrier.close()
  return entries
}

async function documentWalk(bed: Bed): Promise<readonly Entry[]> {
  const { on, debugged, account, customer } = bed
  await addTrunk(on, { name: 'in', port: await freePort(), prefixes: [] })
  await account.asset('sound', new Int16Array(8000).fill(1000))
  const first = '<Response><Play asset="sound"/><Redirect>/next</Redirect></Response>'
  await account.webhook('voice_inbound', customer.on('/first', first))
  let answer = () => {}
  customer.on('/next', (_post, response) => {
    const text = '<Response><Play asset="sound" loop="0"/></Response>'
    answer = () => response.writeHead(200, { 'content-type': 'application/xml' }).end(text)
  })
  return debugged.entriesOf(
    async () => answer(),
    async () => {
      const asked = customer.to('/next').length
      const caller = await callerOf(bed)
      await caller.invite(media)
      await customer.post('/next', asked, 30_000)
      await new Promise(resolve => setTimeout(resolve, 1000))
    },
  )
}

async function packetWalk({ on, debugged, account }: Bed): Promise<readonly Entry[]> {
  const [near, far] = [await RtpEndpoint.open(), await RtpEndpoint.open()]
  const port = await freePort()
  const carrier = await callee(port, far.port)
  await addTrunk(on, { name: 'carrier', port, prefixes: ['+255'] })
  await account.hosts('voice_inbound', '<Dial><Number>+255700000001</Number></Dial>')
  const caller = await PlainCaller.open({ sipPort: on.sipPort, to: account.number, from: '+254722000111' })
  near.aim(Number(/^m=audio (\d+)/m.exec((await caller.invite(sdpOf(near.port))).sdp)?.[1]))
  await until('the INVITE to the carrier', () => carrier.invites() > 0)
  for (let packet = 0; packet < 50; packet++) {
    near.sendFrame(silence)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  const entries = await debugged.entriesOf(async () => near.sendFrame(silence))
  carrier.close()
  return entries
}

const datagramSent: End = { file: /^sip\/transport\/udp\.ts$/, functionName: /\bsend$/ }

const walks = [
  { what: 'INVITE to 180', walk: inviteWalk, end: datagramSent, workers: '1' },
  { what: 'RTP packet, forwarded', walk: packetWalk, end: { file: /^rtp\// }, workers: '0' },
  { what: 'originate to INVITE', walk: originateWalk, end: datagramSent, workers: '1' },
  {
    what: 'document with one `<Play>`, to the media thread',
    walk: documentWalk,
    end: { file: /^rtp\/worker\// },
    workers: '1',
  },
]

process.stdout.write('| walk | files entered | returns | events of the exchange |\n|---|---|---|---|\n')
for (const { what, walk, end, workers } of walks) {
  const bed = await open({ SAUTI_MEDIA_WORKERS: workers })
  try {
    process.stdout.write(`${figuresOf({ what, until: end, entries: await walk(bed) })}\n`)
  } finally {
    await bed.close()
  }
}
process.exit(0)
