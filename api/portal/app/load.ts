import { useLayoutEffect, useRef, useState } from 'preact/hooks'

export interface Loaded<T> {
  readonly data: T | undefined
  readonly error: Error | undefined
  readonly reload: () => void
}

/**
 * What `ask` gives, asked again when `key` changes, when `reload` is called, and every `everyMs` while the tab is seen.
 * `first`: what is at hand already, shown at once in place of the first answer.
 */
export function useLoad<T>(
  key: string,
  ask: () => Promise<T>,
  everyMs?: number,
  first: () => T | undefined = () => undefined,
): Loaded<T> {
  const [state, setState] = useState<{ key: string; data?: T | undefined; error?: Error }>(() => ({
    key,
    data: first(),
  }))
  const isGiven = useRef(state.data !== undefined)
  const latest = useRef(ask)
  latest.current = ask
  const [turn, setTurn] = useState(0)
  // Asked before the browser paints the page, which takes a frame or more.
  useLayoutEffect(() => {
    let isOver = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const run = async () => {
      if (isGiven.current) isGiven.current = false
      else if (!document.hidden || everyMs === undefined) {
        try {
          const data = await latest.current()
          if (!isOver) setState({ key, data })
        } catch (fault) {
          if (!isOver)
            setState(before => ({ ...before, key, error: fault instanceof Error ? fault : new Error(String(fault)) }))
        }
      }
      if (!isOver && everyMs !== undefined) timer = setTimeout(run, everyMs)
    }
    run()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [key, turn, everyMs])
  return {
    data: state.key === key ? state.data : undefined,
    error: state.error,
    reload: () => setTurn(before => before + 1),
  }
}
