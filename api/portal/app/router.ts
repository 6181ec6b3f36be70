import { signal } from '@preact/signals'

// The place stands behind #, so that every page is one file and back, reload and bookmarks keep the place and its filters.

export interface Place {
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

function read(): Place {
  // A link that signs in is no place.
  const [path = '', query = ''] = location.hash.replace(/^#(link=.*)?/, '').split('?')
  return {
    path: path
      .split('/')
      .filter(part => part !== '')
      .map(safeDecode),
    query: new URLSearchParams(query),
  }
}

function safeDecode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export const place = signal<Place>(read())

/** How far down each place was when it was left. */
const depths = new Map<string, number>()
const patienceMs = 2000
history.scrollRestoration = 'manual'
history.replaceState({ seen: true }, '')

/** As soon as the page is long enough again. */
function scrollBack(to: number): void {
  const from = performance.now()
  const here = location.href
  const step = () => {
    scrollTo(0, to)
    const isDone = scrollY >= to - 1 || performance.now() - from > patienceMs || location.href !== here
    if (!isDone) requestAnimationFrame(step)
  }
  step()
}

addEventListener('hashchange', ({ oldURL }) => {
  const before = place.value.path.join('/')
  depths.set(oldURL, scrollY)
  // An entry of the history that was here before: back, or forward.
  const isReturn = history.state?.seen === true
  if (!isReturn) history.replaceState({ seen: true }, '')
  place.value = read()
  if (before === place.value.path.join('/')) return
  if (isReturn) scrollBack(depths.get(location.href) ?? 0)
  else scrollTo(0, 0)
  focusHead()
})

/** For who does not see that the page has changed; its script or its data may come later than the page. */
function focusHead(): void {
  const from = performance.now()
  const here = location.href
  const held = document.activeElement
  const step = () => {
    const now = document.activeElement
    // Another page was opened, or the keyboard went on.
    if (location.href !== here || (now !== held && now !== document.body)) return
    const head = document.querySelector<HTMLElement>('main h1')
    if (head !== null) head.focus({ preventScroll: true })
    else if (performance.now() - from < patienceMs) requestAnimationFrame(step)
  }
  requestAnimationFrame(step)
}

export const href = (...path: readonly string[]): string => `#/${path.map(encodeURIComponent).join('/')}`
export const go = (...path: readonly string[]): void => {
  location.hash = href(...path)
}

/** Changes filters; an empty one goes. What is typed replaces the entry of the history, a choice makes a new one. */
export function filter(changes: Readonly<Record<string, string>>, { replace = false } = {}): void {
  const query = new URLSearchParams(place.value.query)
  for (const [name, value] of Object.entries(changes)) value === '' ? query.delete(name) : query.set(name, value)
  const text = query.toString()
  const next = `#/${place.value.path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`
  if (replace) {
    history.replaceState({ seen: true }, '', next)
    place.value = read()
  } else location.hash = next
}
