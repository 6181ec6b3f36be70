/** The circle of a party: initials, or a last digit or two, on a colour that stays the same for the same party. */
export function paintFace(element, call) {
  const name = call.remoteName || call.remoteIdentity
  const words = name.trim().split(/\s+/)
  const isNumber = /^[+\d*#]+$/.test(name)
  element.textContent = isNumber
    ? name.slice(-2)
    : words
        .slice(0, 2)
        .map(word => word[0])
        .join('')
        .toUpperCase()
  let hue = 0
  for (const character of call.remoteIdentity) hue = (hue * 31 + character.codePointAt(0)) % 360
  element.style.setProperty('--hue', String(hue))
}

export const titleOf = call => call.remoteName || call.remoteIdentity
