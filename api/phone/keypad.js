import { t } from './texts.js'

const letters = { 2: 'ABC', 3: 'DEF', 4: 'GHI', 5: 'JKL', 6: 'MNO', 7: 'PQRS', 8: 'TUV', 9: 'WXYZ', 0: '+' }

const names = { '*': 'Star', '#': 'Hash' }

/** Twelve buttons. A long press on 0 is a plus, where `plus` is wanted. */
export function keypad(press, { plus = true } = {}) {
  return [...'123456789*0#'].map(key => {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'key'
    button.dataset.key = key
    // Else its name is what it shows (WCAG 2.5.3): "2 ABC".
    if (names[key] !== undefined) button.setAttribute('aria-label', t(names[key]))
    const small = document.createElement('small')
    small.textContent = key === '0' && !plus ? '' : (letters[key] ?? '')
    button.append(small.textContent === '' ? key : `${key} `, small)
    let held
    let isPlus = false
    button.addEventListener('pointerdown', () => {
      isPlus = false
      if (key !== '0' || !plus) return
      held = setTimeout(() => {
        isPlus = true
        press('+')
      }, 500)
    })
    button.addEventListener('pointerup', () => clearTimeout(held))
    button.addEventListener('pointerleave', () => clearTimeout(held))
    button.addEventListener('click', () => {
      if (!isPlus) press(key)
      isPlus = false
    })
    return button
  })
}
