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
addEventListener('hashchange', () => {
  const before = place.value.path.join('/')
  place.value = read()
  if (before === place.value.path.join('/')) return
  scrollTo(0, 0)
  // For who does not see that the page has changed.
  requestAnimationFrame(() => document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true }))
})

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
    history.replaceState(null, '', next)
    place.value = read()
  } else location.hash = next
}
