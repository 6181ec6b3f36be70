import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { loadLibC } from '../../rtp/io/libc.ts'
import { OpenDescriptors } from '../../rtp/io/open-descriptors.ts'
import { openNetwork } from '../../rtp/io/open-network.ts'
import { takePrecedence } from '../../rtp/io/thread-precedence.ts'
import { allowedProcessors } from '../../rtp/io/thread-processor.ts'
import { openMedia } from '../../rtp/worker/index.ts'
import { portRanges } from '../../rtp/worker/worker-media.ts'
import { until } from '../rig/probes/wait.ts'
import { EventLog, MediaPeer, noise, sleep, testPorts } from '../rtp/bed/media-peer.ts'

test('the ports are shared out in whole pairs', () => {
  assert.equal(portRanges([10_000, 10_019], 3), [
    [10_000, 10_005],
    [10_006, 10_011],
    [10_012, 10_019],
  ])
  assert.equal(portRanges([10_001, 10_005], 2), [
    [10_002, 10_003],
    [10_004, 10_005],
  ])
  assert.throws(() => portRanges([10_000, 10_002], 2))
})

for (const workers of [0, 2]) {
  test(`two legs receive each other byte for byte over real sockets (${workers} threads)`, async () => {
    const log = new EventLog()
    const media = openMedia({ ports: testPorts(), address: '127.0.0.1', workers }, log.emit, error => {
      throw error
    })
    const [a, b] = [await MediaPeer.open(), await MediaPeer.open()]
    for (const [name, peer] of [
      ['a', a],
      ['b', b],
    ] as const) {
      media.open(name, 'call')
      media.execute({ type: 'agree', session: name, agreement: peer.agreement(), talk: true })
      peer.to = (await log.next('opened', name)).port
    }
    media.execute({ type: 'bridge', session: 'a', other: 'b' })
    await sleep(50)
    const [fromA, fromB] = [noise(160 * 30, 5), noise(160 * 30, 6)]
    await Promise.all([a.speak(fromA), b.speak(fromB)])
    const heardBy = (peer: MediaPeer) => Buffer.concat(peer.received.map(packet => packet.payload))
    await until('the first at the second', () => heardBy(b).includes(fromA))
    await until('the second at the first', () => heardBy(a).includes(fromB))
    const counted = await media.counters()
    assert.is(counted.length, Math.max(1, workers))
    assert.is(
      counted.reduce((sum, { sessions }) => sum + sessions, 0),
      2,
    )
    assert.ok(
      counted.some(({ received }) => received >= 60),
      'both legs of a call share a thread',
    )
    const dumped = await media.dump(['a', 'b', 'nobody'])
    assert.equal(
      dumped.map(({ session, bridgedWith, stats }) => [session, bridgedWith, stats.packetsReceived]),
      [
        ['a', 'b', 30],
        ['b', 'a', 30],
      ],
    )
    media.execute({ type: 'close', session: 'a' })
    const { stats } = await log.next('closed', 'a')
    assert.is(stats.packetsReceived, 30)
    assert.is(stats.packetsLost, 0)
    await media.close()
    assert.is((await log.next('closed', 'b')).stats.packetsReceived, 30)
    a.close()
    b.close()
  })
}

test('what was agreed is with its thread before the turn that sends the answer is over (RFC 3264 §6.1)', async () => {
  const log = new EventLog()
  const media = openMedia({ ports: testPorts(), address: '127.0.0.1', workers: 1 }, log.emit, error => {
    throw error
  })
  const peer = await MediaPeer.open()
  media.open('a', 'call')
  peer.to = (await log.next('opened', 'a')).port
  peer.rtp.connect(peer.to, '127.0.0.1')
  await once(peer.rtp, 'connect')
  // The rest of the turn: what arrives in it, and only in it, must be received.
  media.execute({ type: 'agree', session: 'a', agreement: peer.agreement(), talk: false })
  for (let sent = 0; sent < 20; sent++) {
    peer.rtp.send(peer.packet(noise(160, sent)))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
  }
  media.execute({ type: 'close', session: 'a' })
  const { stats } = await log.next('closed', 'a')
  await media.close()
  peer.close()
  assert.ok(stats.packetsReceived > 0, 'nothing was received in the turn')
})

test('the port of a plain session is known at once, without a wait for its thread', async () => {
  const log = new EventLog()
  const media = openMedia({ ports: testPorts(), address: '127.0.0.1', workers: 1 }, log.emit, error => {
    throw error
  })
  // What its thread reports of itself is there when it has answered.
  media.open('first', 'call')
  await log.next('opened', 'first')
  const peer = await MediaPeer.open()
  const isOpened = () => log.events.some(event => event.type === 'opened' && event.session === 'a')
  media.open('a', 'call')
  assert.not(isOpened(), 'not from inside the call')
  await Promise.resolve()
  assert.ok(isOpened())
  peer.to = (await log.next('opened', 'a')).port
  media.execute({ type: 'agree', session: 'a', agreement: peer.agreement(), talk: true })
  await peer.speak(noise(160 * 10, 3))
  await until('our silence', () => peer.received.length > 0)
  media.execute({ type: 'close', session: 'a' })
  assert.is((await log.next('closed', 'a')).stats.packetsReceived, 10)
  await media.close()
  peer.close()
})

test('what a thread has left open when it ended without a word is closed: its ports are free again', async () => {
  const kept = new OpenDescriptors()
  const network = openNetwork({ address: '127.0.0.1', descriptors: kept.memory })
  if (network.kind !== 'mmsg') return
  const bound: number[] = []
  for (let port = 0; port < 3; port++) network.bind(0, socket => bound.push(socket?.port ?? 0))
  // The network is not closed: the thread is gone.
  assert.is(kept.closeAll(), 4, 'three sockets, and what waits for them')
  assert.is(kept.closeAll(), 0)
  const next = openNetwork({ address: '127.0.0.1' })
  for (const port of bound) next.bind(port, socket => assert.is(socket?.port, port))
  next.close()
})

test('a thread that dies ends its sessions, is reported, and is replaced', async () => {
  const log = new EventLog()
  const died: Error[] = []
  // No socket can be bound to this: each thread dies as soon as it lives.
  const media = openMedia({ ports: testPorts(), address: 'nowhere', workers: 1 }, log.emit, error => died.push(error))
  media.open('a', 'one')
  assert.is((await log.next('failed', 'a')).fault, 'internal')
  assert.is((await log.next('closed', 'a')).stats.packetsSent, 0)
  assert.ok(died[0]?.message.includes('nowhere'))
  media.open('b', 'one')
  assert.is((await log.next('failed', 'b')).fault, 'internal')
  assert.ok((await log.next('closed', 'b')).type === 'closed')
  assert.is(died.length, 2)
  await media.close()
  await sleep(250)
  assert.is(died.length, 2, 'nothing is started after the end')
})

test('a thread that hangs is waited for no longer than a second, shows its last figures, and is flagged', async () => {
  const log = new EventLog()
  const media = openMedia({ ports: testPorts(), address: '127.0.0.1', workers: 2 }, log.emit, error => {
    throw error
  })
  media.open('a', 'one')
  await log.next('opened', 'a')
  assert.is((await media.counters()).length, 2)
  // One of them gets no further message.
  const { postMessage } = Worker.prototype
  const hung = new Set<Worker>()
  Worker.prototype.postMessage = function (message, ...more: never[]) {
    const isQuestion = message.type === 'count' || message.type === 'dump'
    if (isQuestion && hung.size === 0) hung.add(this)
    if (!isQuestion || !hung.has(this)) postMessage.call(this, message, ...more)
  }
  try {
    const asked = performance.now()
    const [first, second] = await Promise.all([media.counters(), media.counters()])
    const waited = performance.now() - asked
    assert.ok(waited > 900 && waited < 2000, `${waited}`)
    assert.is(first.length, 2)
    assert.equal(
      first.map(({ sessions }) => sessions),
      [1, 0],
    )
    assert.is(second.length, 2)
    assert.is(media.silent, 1)
    const again = performance.now()
    assert.is((await media.counters()).length, 2)
    assert.ok(performance.now() - again < 500, 'once is enough')
    assert.equal(await media.dump(['a']), [], 'nothing is known of its sessions')
  } finally {
    Worker.prototype.postMessage = postMessage
  }
  await media.close()
})

test('a thread that takes precedence has it, what it starts has not', async () => {
  if (process.platform !== 'linux') return assert.is(takePrecedence(), 'usual')
  // proc_pid_stat(5): 19 = niceness, 41 = policy, 2 = round robin.
  const program = `
    const { readFileSync } = require('node:fs')
    const { parentPort, Worker } = require('node:worker_threads')
    const own = () => readFileSync('/proc/thread-self/stat', 'latin1').split(') ')[1].split(' ')
    const stand = () => ({ niceness: Number(own()[16]), policy: Number(own()[38]) })
    import(${JSON.stringify(new URL('../../rtp/io/thread-precedence.ts', import.meta.url).href)}).then(({ takePrecedence }) => {
      const taken = takePrecedence()
      const child = new Worker(
        "const own = require('node:fs').readFileSync('/proc/thread-self/stat', 'latin1').split(') ')[1].split(' ');" +
        "require('node:worker_threads').parentPort.postMessage(Number(own[38]))", { eval: true })
      child.on('message', policy => parentPort.postMessage({ taken, ...stand(), childPolicy: policy }))
    })`
  const [reported] = await once(new Worker(program, { eval: true }), 'message')
  const { taken, niceness, policy, childPolicy } = reported
  if (taken === 'realtime') assert.is(policy, 2)
  else if (taken === 'nice') assert.is(niceness, -10)
  else assert.is(taken, 'usual')
  assert.is(childPolicy, 0)
})

test('the processors that a thread may run on are counted as taskset(1) limits them', () => {
  const native = loadLibC()
  if (native === undefined) return
  assert.is(allowedProcessors(native)(), Number(execFileSync('nproc', { encoding: 'utf8' })))
  const moduleOf = (name: string) => JSON.stringify(new URL(`../../rtp/io/${name}`, import.meta.url).href)
  const program = `import { loadLibC } from ${moduleOf('libc.ts')}
    import { allowedProcessors } from ${moduleOf('thread-processor.ts')}
    process.stdout.write(String(allowedProcessors(loadLibC())()))`
  const first = /Cpus_allowed_list:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))![1]!
  const words = ['-c', first, process.execPath, '--input-type=module', '--disable-warning=ExperimentalWarning', '-e']
  assert.is(execFileSync('taskset', [...words, program], { encoding: 'utf8' }), '1')
})

test('a thread gives way as far as it is not behind already', async () => {
  if (process.platform !== 'linux') return
  // As of a program that was started with `nice`, and may not take it back: it may ask for no better niceness.
  const program = `
    const os = require('node:os')
    const { parentPort, workerData } = require('node:worker_threads')
    if (workerData.before > 0) os.setPriority(0, workerData.before)
    const { setPriority } = os
    os.setPriority = (pid, niceness) => {
      if (niceness < os.getPriority(0)) throw new Error('EACCES')
      setPriority(pid, niceness)
    }
    require('node:module').syncBuiltinESMExports()
    import(${JSON.stringify(new URL('../../rtp/io/thread-niceness.ts', import.meta.url).href)}).then(({ giveWay }) => {
      giveWay(10)
      parentPort.postMessage(os.getPriority(0))
    })`
  const nicenessAfter = async (before: number): Promise<number> => {
    const [niceness] = await once(new Worker(program, { eval: true, workerData: { before } }), 'message')
    return niceness
  }
  assert.is(await nicenessAfter(5), 10)
  assert.is(await nicenessAfter(15), 15)
})

test.run()
