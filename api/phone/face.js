import { grouped } from './numbers.js'

/** The circle of a party: its initials, else a handset, on a colour that stays the same for the same party. */
export function paintFace(element, call) {
  const name = call.remoteName || call.remoteIdentity
  const words = name.trim().split(/\s+/)
  const isNumber = /^[+\d*#]+$/.test(name)
  const initials = words
    .slice(0, 2)
    .map(word => word[0])
    .join('')
    .toUpperCase()
  // Digits of a number would say nothing.
  if (isNumber) element.append(document.getElementById('handset').content.cloneNode(true))
  else element.textContent = initials
  let hue = 0
  for (const character of call.remoteIdentity) hue = (hue * 31 + character.codePointAt(0)) % 360
  element.style.setProperty('--hue', String(hue))
}

export const titleOf = call => grouped(call.remoteName || call.remoteIdentity)
