import { PhoneError } from './base/errors.ts'

/** Throws where a browser would never give the microphone: a page that is not HTTPS (or localhost), or no WebRTC. */
export function requireSecureContext(): void {
  if (globalThis.isSecureContext === false)
    throw new PhoneError(
      'insecure-context',
      'The phone needs a secure context: no microphone without HTTPS or localhost.',
    )
  if (typeof RTCPeerConnection === 'undefined' || globalThis.navigator?.mediaDevices === undefined)
    throw new PhoneError('unsupported-browser', 'The phone needs WebRTC and microphone capture.')
}
