import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** A reference for an element, and how many pixels wide it is now; no less than `least`. */
export function useWidth<T extends HTMLElement>(least: number) {
  const it = useRef<T>(null)
  const [width, set] = useState(least)
  useLayoutEffect(() => {
    const element = it.current
    if (element === null) return
    const measure = () => set(Math.max(least, Math.floor(element.clientWidth)))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [least])
  return [it, width] as const
}
