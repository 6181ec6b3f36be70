import { go, place } from './router.ts'

// Keys with Ctrl or Cmd alone: single letters would be in the way of speech input and screen readers (WCAG 2.1.4).

const isApple = /^Mac|^iP/.test(navigator.platform)
const shortcut = (key: string) => ({
  title: isApple ? `⌘${key}` : `Ctrl ${key}`,
  'aria-keyshortcuts': isApple ? `Meta+${key}` : `Control+${key}`,
})
/** For the element that the keys lead to. */
export const searchShortcut = shortcut('K')
export const saveShortcut = shortcut('S')

/** A text with the keys behind it, where there is likely a keyboard. */
export const withKeys = (text: string, { title }: { readonly title: string }): string =>
  matchMedia('(hover: hover)').matches ? `${text} (${title})` : text

export const isWithControl = (event: KeyboardEvent, key: string): boolean =>
  (isApple ? event.metaKey : event.ctrlKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === key

function selectSearch(): void {
  const search = document.querySelector<HTMLInputElement>('main input[aria-keyshortcuts]')
  search?.focus()
  search?.select()
}

/** From every page of a customer to the search of calls. */
export function followShortcuts(): () => void {
  const listen = (event: KeyboardEvent) => {
    if (!isWithControl(event, 'k') || document.querySelector('dialog[open]') !== null) return
    event.preventDefault()
    if (place.value.path.join() === 'calls') selectSearch()
    else {
      // The router gives the focus to the head of the page, in the frame after the change.
      const soon = () => requestAnimationFrame(() => requestAnimationFrame(selectSearch))
      addEventListener('hashchange', soon, { once: true })
      go('calls')
    }
  }
  addEventListener('keydown', listen)
  return () => removeEventListener('keydown', listen)
}
