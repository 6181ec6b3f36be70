/**
 * Resolves when all candidates are gathered, or after `timeoutMs` with those that there are by then; 0 waits for all.
 * The switch sits on a public address: one candidate of ours is mostly enough, and a slow STUN server delays no call.
 */
export function gathered(connection: RTCPeerConnection, timeoutMs: number): Promise<void> {
  if (connection.iceGatheringState === 'complete') return Promise.resolve()
  return new Promise(resolve => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const done = () => {
      clearTimeout(timer)
      connection.removeEventListener('icegatheringstatechange', changed)
      connection.removeEventListener('signalingstatechange', changed)
      resolve()
    }
    const changed = () => {
      if (connection.iceGatheringState === 'complete' || connection.signalingState === 'closed') done()
    }
    if (timeoutMs > 0) timer = setTimeout(done, timeoutMs)
    connection.addEventListener('icegatheringstatechange', changed)
    connection.addEventListener('signalingstatechange', changed)
  })
}
