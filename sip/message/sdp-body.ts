import type { HeaderField } from './message.ts'

const utf8 = new TextEncoder()
const noBody = new Uint8Array(0)
const noLength: HeaderField = { name: 'Content-Length', value: '0' }
const sdpType: HeaderField = { name: 'Content-Type', value: 'application/sdp' }

/** The body with that session description, or none, and the fields that say so, which are added to the header. */
export function addSdp(headers: HeaderField[], sdp: string | undefined): Uint8Array {
  if (sdp === undefined || sdp === '') {
    headers.push(noLength)
    return noBody
  }
  const body = utf8.encode(sdp)
  headers.push(sdpType, { name: 'Content-Length', value: String(body.length) })
  return body
}
