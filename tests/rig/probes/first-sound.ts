import type { VerbBed } from '../beds/verb-bed.ts'
import type { Received } from '../peers/rtp-endpoint.ts'
import { until } from './wait.ts'

/** G.711 μ-law's zeros. */
const isSilent = (payload: Uint8Array): boolean => payload.every(byte => byte === 0xff || byte === 0x7f)

/**
 * One call whose documents hold one verb each, one after another: how long after a document left the customer's server the
 * first packet with its sound was at the caller, in ms. Each verb must be quiet at its end for a packet or two.
 */
export async function firstSounds(bed: VerbBed, verbs: readonly string[]): Promise<readonly number[]> {
  const path = `/sounds-${Math.random().toString(36).slice(2)}`
  const left: number[] = []
  bed.customer.on(path, (_post, response) => {
    const verb = verbs[left.length]
    const document = verb === undefined ? '<Hangup/>' : `${verb}<Pause length="0.2"/><Redirect>${path}</Redirect>`
    response.writeHead(200, { 'content-type': 'application/xml' })
    response.end(`<Response>${document}</Response>`, () => left.push(performance.now()))
  })
  // The caller's own packets show where it is; a tone begins what is played.
  const call = await bed.call(`<Pause length="0.2"/><Redirect>${path}</Redirect>`, {
    timeoutSeconds: 20 + 3 * verbs.length,
  })
  await call.done()
  const { received } = call.rtp
  await until('all documents', () => left.length > verbs.length)
  return verbs.map((verb, at) => {
    const heard = received.find(
      packet => packet.at >= left[at]! && packet.payloadType === 0 && !isSilent(packet.payload),
    )
    if (heard === undefined || heard.at > left[at + 1]!) throw new Error(`no audio was received of ${verb}`)
    return heard.at - left[at]!
  })
}

/** The same for one verb that may last long: the call is ended when it has been received. */
export async function firstSoundOf(bed: VerbBed, verb: string): Promise<number> {
  const path = `/sound-${Math.random().toString(36).slice(2)}`
  let left = Infinity
  bed.customer.on(path, (_post, response) => {
    response.writeHead(200, { 'content-type': 'application/xml' })
    response.end(`<Response>${verb}</Response>`, () => {
      left = performance.now()
    })
  })
  const call = await bed.call(`<Pause length="0.3"/><Redirect>${path}</Redirect>`)
  const { received } = call.rtp
  const isHeard = (packet: Received) => packet.at >= left && packet.payloadType === 0 && !isSilent(packet.payload)
  // Long enough to measure the time wherever it was played at all.
  const heard = await until(`the first sound of ${verb.slice(0, 60)}…`, () => received.find(isHeard), 15_000)
  await call.hangUp()
  await call.done()
  return heard.at - left
}
