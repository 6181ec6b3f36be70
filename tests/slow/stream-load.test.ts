import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { WebSocket } from 'ws'
import { BedAccount, expectStatus, setRates } from '../rig/beds/account.ts'
import { SwitchProcess } from '../rig/beds/switch-process.ts'
import { babble } from '../rig/probes/tone.ts'
import { sleep, until } from '../rig/probes/wait.ts'

// 1,000 stream subscribers while 50 calls a second run: every event once and in order to each.
const load = suite('stream under load')

const subscribers = 1000
const callsPerSecond = 50
const seconds = 4

let on: SwitchProcess
let account: BedAccount

load.before(async () => {
  on = await SwitchProcess.start({ SAUTI_LOG: 'info', SAUTI_MEDIA_PORTS: '12000-19998' })
  await setRates(on)
  account = await BedAccount.make(on, { balance: '100000' })
  expectStatus(
    await on.operator('PATCH', `/accounts/${account.uuid}`, {
      max_concurrent_calls: 5000,
      max_calls_per_second: 5000,
      max_inbound_calls: 5000,
      max_dialled_legs: 5000,
    }),
    200,
  )
})

load.after(async () => {
  await on?.close()
})

load('1,000 readers see every event of 200 calls once, in order', async () => {
  await account.asset('blip', babble(0.2))
  const document = await account.document('<Play asset="blip"/>')
  await account.webhook('voice_inbound', document)
  const pool = expectStatus(await on.operator('POST', '/numbers', { number: '+254711999888' }), 201)
  expectStatus(await account.api('POST', '/numbers/acquire', { uuid: pool.body.uuid }), 200)

  const { token } = expectStatus(await account.api('POST', '/stream/token'), 200).body
  const next = new Array<number>(subscribers).fill(0)
  const first = new Array<number>(subscribers).fill(0)
  let disorder = 0
  const ended = new Array<number>(subscribers).fill(0)
  const sockets: WebSocket[] = []
  for (let at = 0; at < subscribers; at++) {
    const socket = new WebSocket(`ws://127.0.0.1:${on.httpPort}/stream?token=${token}`)
    sockets.push(socket)
    socket.on('message', data => {
      // Without parsing a million times: the number stands at the front.
      const text = data.toString()
      const seq = Number(/"seq":(\d+)/.exec(text)?.[1])
      if (first[at] === 0) first[at] = seq
      else if (seq !== next[at]) disorder++
      next[at] = seq + 1
      if (text.includes('"CALL.0300"') || text.includes('"CALL.0400"')) ended[at]!++
    })
    if (at % 50 === 49) await new Promise(resolve => socket.once('open', resolve))
  }
  await until(
    `all streams to open: ${JSON.stringify(sockets.map(it => it.readyState))}`,
    () => sockets.every(socket => socket.readyState === WebSocket.OPEN),
    20_000,
  )

  const started = performance.now()
  const placed: Promise<void>[] = []
  for (let at = 0; at < callsPerSecond * seconds; at++) {
    const wait = started + (at * 1000) / callsPerSecond - performance.now()
    if (wait > 0) await sleep(wait)
    placed.push(
      account
        .api('POST', '/calls/originate', { to: '+254711999888', from: account.number, url: document })
        .then(answer => void expectStatus(answer, 201)),
    )
  }
  await Promise.all(placed)
  // Each placed call is two: the one placed and the one that came in.
  const wanted = 2 * callsPerSecond * seconds
  await until(`${wanted} ends at every reader`, () => ended.every(count => count >= wanted), 30_000).catch(() => {})
  assert.is(disorder, 0, 'no event missing, doubled or out of order')
  assert.is(Math.min(...ended), wanted)
  assert.is(Math.max(...ended), wanted)
  assert.is(new Set(first).size, 1, 'all began with the same event')
  assert.is(new Set(next).size, 1, 'all ended with the same event')
  for (const socket of sockets) socket.terminate()
})

load.run()
