const typed = /^[0-9*#+]$/
const fields = 'input, textarea, select'

/**
 * Keys of the keyboard, wherever the focus is but in a field: digits go to the call or to the number, M mutes, H holds,
 * Escape hangs up or declines. What rings here is answered by Enter, since its button has the focus.
 */
export function listenToKeys({ digit, erase, mute, hold, end }) {
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
    const { key, target } = event
    const isField = target.matches?.(fields) === true && target.type !== 'range'
    if (key === 'Escape') end()
    else if (isField) return
    else if (typed.test(key)) digit(key)
    else if (key === 'Backspace') erase()
    else if (key === 'm' || key === 'M') mute()
    else if (key === 'h' || key === 'H') hold()
    else return
    event.preventDefault()
  })
}
