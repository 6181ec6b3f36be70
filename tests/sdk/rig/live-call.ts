import type { Call } from '../../../sdk/index.ts'
import { FakePeerConnection } from './fake-browser.ts'
import { PhoneBench, settle } from './phone-bench.ts'

const benches: PhoneBench[] = []

/** A phone that is signed in; `closeBenches` closes it. */
export const signedIn = async () => {
  const bench = await PhoneBench.signedIn()
  benches.push(bench)
  return bench
}

const names = ['ringing', 'accepted', 'ended', 'failed', 'hold', 'unhold', 'muted', 'unmuted'] as const

/** Whatever the call tells from now on. */
export function listen(call: Call): [string, unknown][] {
  const told: [string, unknown][] = []
  for (const name of [...names, 'reconnecting', 'reconnected'] as const)
    call.on(name, value => told.push([name, value]))
  return told
}

export const namesOf = (told: [string, unknown][]) => told.map(([name]) => name)

export const media = () => {
  const found = FakePeerConnection.all.at(-1)
  if (found === undefined) throw new Error('no RTCPeerConnection was made')
  return found
}

export async function placed() {
  const bench = await signedIn()
  const call = bench.phone.call('1002')
  const told = listen(call)
  await settle()
  bench.reply('INVITE', 180, 'Ringing')
  bench.reply('INVITE', 200, 'OK', { sdp: 'answer' })
  await settle()
  return { bench, call, told }
}

export async function taken() {
  const bench = await signedIn()
  let call: Call | undefined
  bench.phone.once('incoming', incoming => {
    call = incoming
  })
  bench.incoming()
  if (call === undefined) throw new Error('no call came')
  return { bench, call, told: listen(call) }
}

/** After the last test of a file. */
export function closeBenches(): void {
  for (const bench of benches) bench.close()
}
