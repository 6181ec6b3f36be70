import type { Call } from '../../../sdk/index.ts'
import { FakePeerConnection } from './fake-browser.ts'
import { SdkPhoneBed, settle } from './sdk-phone-bed.ts'

const beds: SdkPhoneBed[] = []

/** A phone that is signed in; `closeBeds` closes it. */
export const signedIn = async () => {
  const bed = await SdkPhoneBed.signedIn()
  beds.push(bed)
  return bed
}

const names = ['ringing', 'accepted', 'ended', 'failed', 'hold', 'unhold', 'muted', 'unmuted'] as const

/** All events of the call from now on. */
export function listen(call: Call): [string, unknown][] {
  const reported: [string, unknown][] = []
  for (const name of [...names, 'reconnecting', 'reconnected'] as const)
    call.on(name, value => reported.push([name, value]))
  return reported
}

export const namesOf = (reported: [string, unknown][]) => reported.map(([name]) => name)

export const media = () => {
  const found = FakePeerConnection.all.at(-1)
  if (found === undefined) throw new Error('no RTCPeerConnection was made')
  return found
}

export async function placed() {
  const bed = await signedIn()
  const call = bed.phone.call('1002')
  const reported = listen(call)
  await settle()
  bed.reply('INVITE', 180, 'Ringing')
  bed.reply('INVITE', 200, 'OK', { sdp: 'answer' })
  await settle()
  return { bed, call, reported }
}

export async function taken() {
  const bed = await signedIn()
  let call: Call | undefined
  bed.phone.once('incoming', incoming => {
    call = incoming
  })
  bed.incoming()
  if (call === undefined) throw new Error('no call came')
  return { bed, call, reported: listen(call) }
}

/** After the last test of a file. */
export function closeBeds(): void {
  for (const bed of beds) bed.close()
}
