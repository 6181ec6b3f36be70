import { createSocket } from 'node:dgram'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

const firstPort = 20_100
const portPairs = 5_900
const firstMediaPort = 12_000
const mediaPortsOfOne = 400
const mediaRanges = 20

/** Test files run beside each other: what one has chosen and not bound yet is no other's. A user's own: no other may write there. */
const claims = join(tmpdir(), `sauti-test-ports-${userInfo().uid}`)
const claimed = new Set<string>()
process.once('exit', () => {
  for (const file of claimed) rmSync(file, { force: true })
})

/** A TCP and UDP port that is free on 127.0.0.1, and the one above. Below the ephemeral range, so that no outgoing socket takes it. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = firstPort + 2 * Math.floor(Math.random() * portPairs)
    if (!claim(`${port}`)) continue
    if ((await isFreeUdp(port)) && (await isFreeUdp(port + 1)) && (await isFreeTcp(port))) return port
  }
  throw new Error('no free port found')
}

/** First and last of a range of ports for the media of one switch. */
export function freeMediaPorts(): readonly [number, number] {
  const start = Math.floor(Math.random() * mediaRanges)
  for (let at = 0; at < mediaRanges; at++) {
    const first = firstMediaPort + mediaPortsOfOne * ((start + at) % mediaRanges)
    if (claim(`media-${first}`)) return [first, first + mediaPortsOfOne - 1]
  }
  throw new Error('no free range of media ports found')
}

/** Gives a range of media ports back before the process ends. */
export function releaseMediaPorts(first: number): void {
  const file = join(claims, `media-${first}`)
  if (claimed.delete(file)) rmSync(file, { force: true })
}

/** True when it is this process's from now on, to its end. */
function claim(name: string): boolean {
  mkdirSync(claims, { recursive: true })
  const file = join(claims, name)
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' })
      claimed.add(file)
      return true
    } catch {
      if (claimed.has(file) || isAlive(file)) return false
      // Its owner was killed.
      rmSync(file, { force: true })
    }
  }
  return false
}

function isAlive(file: string): boolean {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0)
    return true
  } catch {
    return false
  }
}

const isFreeUdp = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = createSocket('udp4')
    socket.once('error', () => resolve(false))
    socket.bind(port, '127.0.0.1', () => socket.close(() => resolve(true)))
  })

const isFreeTcp = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
