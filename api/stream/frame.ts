import { Buffer } from 'node:buffer'

/** FIN and an opcode (RFC 6455 §5.2). What a server sends is not masked, so one frame serves every subscriber. */
const textFrame = 0x81
/** A ping without payload, as every heartbeat sends it. */
export const pingFrame: Uint8Array = Uint8Array.of(0x89, 0)

/** A whole text message as the bytes of one frame. */
export function frameOf(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const head = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(head + length)
  frame[0] = textFrame
  if (head === 2) frame[1] = length
  else if (head === 4) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  frame.write(text, head)
  return frame
}
