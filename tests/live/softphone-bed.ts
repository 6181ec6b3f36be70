import { headerOf, type SipResponse } from '../../sip/index.ts'
import { PhoneSwitch, type SignedUser } from '../rig/peers/phone-switch.ts'
import { type PhoneOptions, WsPhone } from '../rig/peers/ws-phone.ts'
import { until } from '../rig/probes/wait.ts'

// Softphones over real WebSockets, against the whole switch; their media is plain G.711. For one test file, which closes the bed.

export const bed = await PhoneSwitch.open({ allowedOrigins: ['https://app.test'] })
export const dialWhatWasDialled = '<Response><Dial><Number>{{To}}</Number></Dial></Response>'

export const phoneOf = (user: SignedUser, options: Partial<PhoneOptions> = {}) =>
  WsPhone.open(bed.url, { extension: user.extension, token: user.token, ...options })

export const portIn = (message: { readonly body: Uint8Array }): number =>
  Number(/m=audio (\d+)/.exec(new TextDecoder().decode(message.body))?.[1])

export const calls = async () => (await bed.sauti.calls.list(bed.account, { limit: 50, offset: 0 })).calls
export const ended = (uuid: string) =>
  until('the end of the call', async () => (await calls()).find(call => call.uuid === uuid && call.endedUnix !== null))
export const newest = async () => {
  const [call] = await calls()
  if (call === undefined) throw new Error('no call')
  return call
}
export const idle = () => until('rest', () => bed.sauti.calls.live().length === 0)

export const words = (response: SipResponse) => [
  response.status,
  headerOf(response, 'X-Voice-Reason-Code'),
  /cause=(\d+)/.exec(headerOf(response, 'Reason') ?? '')?.[1],
]

/** A phone that registers over TCP: what it is offered is plain RTP, while a browser is offered WebRTC. */
export const deskPhoneOf = (user: SignedUser) =>
  WsPhone.open(bed.tcpUrl, { extension: user.extension, token: user.token, by: 'digest' })

export async function withPhones(
  users: readonly (SignedUser | { readonly desk: SignedUser })[],
  act: (...phones: WsPhone[]) => Promise<void>,
): Promise<void> {
  const phones = await Promise.all(users.map(user => ('desk' in user ? deskPhoneOf(user.desk) : phoneOf(user))))
  // What a failed test leaves up would fail those after it too, and hide why it failed.
  const failure = await act(...phones).then(
    () => undefined,
    (reason: unknown) => ({ reason }),
  )
  for (const phone of phones) phone.close()
  if (failure === undefined) {
    await idle()
    return
  }
  for (const { call } of bed.sauti.calls.live()) await bed.sauti.calls.hangup(bed.account, call.sid)
  throw failure.reason
}
