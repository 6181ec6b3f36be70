import type { CurrentSessions } from './api-types.ts'

// Stands in the page itself, so that it runs before anything else is loaded: asks who is signed in and, for home, what
// that shows, so that both are there when the application is. The page's policy names its hash.

declare global {
  /** What the switch says of this browser. Undefined: not asked, or no good answer; who takes it takes it away. */
  var started: Promise<CurrentSessions | undefined> | undefined
}

// A link that signs in makes another session first. The page has a preload of the same request.
if (!location.hash.startsWith('#link='))
  globalThis.started = fetch('/portal/session?with=overview', { credentials: 'same-origin' }).then(
    answer => (answer.ok ? answer.json() : undefined),
    () => undefined,
  )

// The first look into the storage waits for another process of the browser: here it costs nothing, while all else is loaded.
const chosen = localStorage.getItem('language')
if (chosen === 'sw' || (chosen !== 'en' && navigator.language.startsWith('sw'))) {
  document.documentElement.lang = 'sw'
  // The application asks for it in turn, but not before it was loaded itself.
  const texts = Object.assign(document.createElement('link'), { rel: 'modulepreload', href: '/portal/kiswahili.ts' })
  document.head.append(texts)
}
const theme = localStorage.getItem('theme')
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
