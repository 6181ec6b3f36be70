import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

interface SearchFieldProps {
  /** For who does not see the field. */
  readonly label: string
  readonly placeholder: string
  /** What is searched for now. */
  readonly value: string
  readonly change: (value: string) => void
  /** Searches once so long nothing was typed. Default: once the field is left, or with Enter. */
  readonly typingMs?: number
  readonly keys?: { readonly title: string; readonly 'aria-keyshortcuts': string }
}

/**
 * The field keeps what is typed until that is searched for: a page of live rows is drawn again at any moment, and a field that
 * had its value from the address would lose letters.
 */
export function SearchField({ label, placeholder, value, change, typingMs, keys }: SearchFieldProps) {
  const it = useRef<HTMLInputElement>(null)
  const wait = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useLayoutEffect(() => {
    if (wait.current === undefined && it.current !== null) it.current.value = value
  }, [value])
  // Another page has other filters.
  useEffect(() => () => clearTimeout(wait.current), [])
  const typed = (text: string) => {
    clearTimeout(wait.current)
    wait.current = setTimeout(() => {
      wait.current = undefined
      change(text)
    }, typingMs)
  }
  return (
    <label class="search">
      <span class="hidden">{label}</span>
      <input
        ref={it}
        type="search"
        placeholder={placeholder}
        {...keys}
        {...(typingMs === undefined
          ? { onChange: event => change(event.currentTarget.value.trim()) }
          : { onInput: event => typed(event.currentTarget.value) })}
      />
    </label>
  )
}
