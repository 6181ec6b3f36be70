const protectedMedia = /^(m=audio \d+ )(?:UDP\/TLS\/)?RTP\/SAVPF?(?= )/m
const coveredKey = /^a=(?=crypto:|key-mgmt:)/gm
const contentLength = /^(Content-Length|l)([ \t]*:[ \t]*)(\d+)/im

/**
 * A message as a file for Wireshark has it. A key that is covered is no base64, at which its readers of `a=crypto` and
 * `a=key-mgmt` give up the whole message: these become `a=x-crypto` and `a=x-key-mgmt`. Where the file has packets of the
 * leg they are as they were before protection: its SDP names RTP/AVP, or they would be taken for encrypted ones.
 */
export function sdpForExport(message: Uint8Array, hasPackets: boolean): Uint8Array {
  const text = Buffer.from(message.buffer, message.byteOffset, message.length).toString('latin1')
  const named = text.replace(coveredKey, 'a=x-')
  const shown = hasPackets ? named.replace(protectedMedia, '$1RTP/AVP') : named
  if (shown === text) return message
  const longer = shown.length - text.length
  return Buffer.from(
    shown.replace(contentLength, (_all, name: string, sign: string, length: string) => {
      return `${name}${sign}${Number(length) + longer}`
    }),
    'latin1',
  )
}
