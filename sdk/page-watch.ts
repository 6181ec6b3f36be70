interface PageEvents {
  /** The network is another one, or back. */
  networkChanged(): void
  /** The page is looked at again: timers may have slept. */
  woke(): void
  /** The page is going away for good. */
  leaving(): void
  devicesChanged(): void
}

type WithConnection = Navigator & { readonly connection?: EventTarget }

/** What the page and the browser report. Returns what ends the watching. */
export function watchPage(events: PageEvents): () => void {
  const ends = new AbortController()
  const { signal } = ends
  const listen = (target: EventTarget | undefined, name: string, listener: (event: Event) => void) =>
    target?.addEventListener(name, listener, { signal })
  const { navigator, window, document } = globalThis
  listen(window, 'online', () => events.networkChanged())
  listen((navigator as WithConnection).connection, 'change', () => events.networkChanged())
  listen(document, 'visibilitychange', () => {
    if (document.visibilityState === 'visible') events.woke()
  })
  listen(window, 'pagehide', event => {
    if (!(event as PageTransitionEvent).persisted) events.leaving()
  })
  listen(navigator.mediaDevices, 'devicechange', () => events.devicesChanged())
  return () => ends.abort()
}
