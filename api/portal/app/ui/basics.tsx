import { signal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { t } from '../texts/index.ts'
import { Icon, type IconName } from './icon.tsx'
import { FaultText } from './said.tsx'

/** Short words about what was done, told to screen readers too. */
export const notices = signal<readonly Notice[]>([])
interface Notice {
  readonly id: number
  readonly text: string | Error
  readonly isBad: boolean
  /** To where something can be done. */
  readonly way: { readonly href: string; readonly text: string } | undefined
}
let nextNotice = 0
export function tell(text: string | Error, isBad = false, way?: Notice['way']): void {
  const id = nextNotice++
  notices.value = [...notices.value, { id, text, isBad, way }].slice(-3)
  setTimeout(() => dismiss(id), isBad ? 9000 : 4000)
}
export function dismiss(id: number): void {
  notices.value = notices.value.filter(notice => notice.id !== id)
}

/** Runs what a button does; says what went wrong. */
export async function attempt(work: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await work()
    if (done !== undefined) tell(done)
    return true
  } catch (fault) {
    tell(fault instanceof Error ? fault : String(fault), true)
    return false
  }
}

/** `attempt` for what is made or paid: a press that comes while it runs, as the second of a double press, does nothing. */
export function useOnce(): typeof attempt {
  const isRunning = useRef(false)
  return async (work, done) => {
    if (isRunning.current) return false
    isRunning.current = true
    const isDone = await attempt(work, done)
    isRunning.current = false
    return isDone
  }
}

export function Page({
  title,
  name = typeof title === 'string' ? title : '',
  lead,
  back,
  actions,
  children,
}: {
  readonly title: ComponentChildren
  /** Of the browser's tab, where several are open. Default: the title. */
  readonly name?: string
  readonly lead?: ComponentChildren
  /** The list that the page belongs to. */
  readonly back?: { readonly href: string; readonly text: string }
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) {
  useEffect(() => {
    document.title = name === '' ? 'Sauti' : `${name} – Sauti`
  }, [name])
  return (
    <>
      <header class="page-head">
        <div>
          {back !== undefined && (
            <a class="back" href={back.href}>
              ← {back.text}
            </a>
          )}
          <h1 tabIndex={-1}>{title}</h1>
          {lead !== undefined && <p class="lead">{lead}</p>}
        </div>
        {actions !== undefined && actions !== false && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  )
}

export const Card = ({
  title,
  aside,
  children,
  class: name = '',
  id,
}: {
  readonly title?: string | undefined
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
  readonly class?: string
  /** Of a card that other parts of the page lead to. */
  readonly id?: string
}) => (
  <section class={`card ${name}`} id={id} tabIndex={id === undefined ? undefined : -1}>
    {title !== undefined && (
      <header class="card-head">
        <h2>{title}</h2>
        {aside}
      </header>
    )}
    {children}
  </section>
)

/** What scrolls is reached by keyboard (WCAG 2.1.1). */
export const reachable = { tabIndex: 0 }
/** Data as it is, in a part that scrolls, with a way to copy it. */
export function Data({ value, label = t('details') }: { readonly value: unknown; readonly label?: string }) {
  const { message, ...rest } = (typeof value === 'object' ? (value ?? {}) : {}) as { readonly message?: unknown }
  // A SIP message is read line by line.
  if (typeof message === 'string' && message.includes('\n')) {
    const facts = Object.entries(rest).map(([name, fact]) => `${name}: ${String(fact)}`)
    return (
      <>
        <p class="soft">{facts.join(' · ')}</p>
        <Copied text={message.replaceAll('\r\n', '\n')} label={label} />
      </>
    )
  }
  return <Copied text={typeof value === 'string' ? value : JSON.stringify(value, null, 2)} label={label} />
}

const Copied = ({ text, label }: { readonly text: string; readonly label: string }) => (
  <div class="data">
    <pre {...reachable}>{text}</pre>
    <Copy text={text} label={label} />
  </div>
)

/** What somebody has called something: in its own direction, from where the column begins, and not so long that it fills the page. */
export const Name = ({ text }: { readonly text: string }) => (
  <span class="name" title={text.length > 60 ? text : undefined}>
    <bdi>{text}</bdi>
  </span>
)

/** What stands between backticks is to be typed: it looks so. */
export const Prose = ({ text }: { readonly text: string }) => (
  <>{text.split('`').map((part, place) => (place % 2 === 0 ? part : <code key={place}>{part}</code>))}</>
)

type Tone = 'good' | 'bad' | 'warn' | 'calm' | 'live'
export const Badge = ({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
)

type ButtonProps = Omit<JSX.IntrinsicElements['button'], 'icon'> & {
  readonly kind?: 'main' | 'plain' | 'danger'
  readonly glyph?: IconName
}
export const Button = ({ kind = 'plain', glyph, children, class: name, ...rest }: ButtonProps) => (
  <button type="button" class={`button ${kind} ${name ?? ''}`} {...rest}>
    {glyph !== undefined && <Icon name={glyph} />}
    {children}
  </button>
)

export const Empty = ({
  children,
  action,
}: {
  readonly children: ComponentChildren
  readonly action?: ComponentChildren
}) => (
  <div class="empty">
    <p>{children}</p>
    {action}
  </div>
)

export const Trouble = ({
  error,
  retry,
}: {
  readonly error: string | Error | undefined
  /** Asks again for what could not be had. */
  readonly retry?: () => void
}) =>
  error === undefined ? null : (
    <div class="trouble" role="alert">
      <Icon name="warn" />
      <span>
        <FaultText fault={error} />
      </span>
      {retry !== undefined && (
        <button type="button" class="link" onClick={retry}>
          {t('tryAgain')}
        </button>
      )}
    </div>
  )

export const Waiting = () => (
  <p class="waiting" role="status">
    {t('waiting')}
  </p>
)

let nextField = 0
/** A label and its field, joined; `hint` is read with it. */
export function Field({
  label,
  hint,
  children,
}: {
  readonly label: string
  readonly hint?: string | undefined
  readonly children: (id: { id: string; 'aria-describedby'?: string }) => ComponentChildren
}) {
  const [id] = useState(() => `f${nextField++}`)
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(hint === undefined ? { id } : { id, 'aria-describedby': `${id}h` })}
      {hint !== undefined && (
        <small id={`${id}h`} class="hint">
          {hint}
        </small>
      )}
    </div>
  )
}

/** The browser's own dialog: it keeps the focus, and Escape closes it. */
export function Dialog({
  title,
  close,
  children,
  wide = false,
}: {
  readonly title: string
  readonly close: () => void
  readonly children: ComponentChildren
  readonly wide?: boolean
}) {
  const it = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const opener = document.activeElement
    it.current?.showModal()
    it.current?.querySelector('input')?.focus()
    // Back to where the keyboard was, or to the head of the page where that is gone: a row that was deleted.
    return () =>
      setTimeout(() => {
        if (document.activeElement !== null && document.activeElement !== document.body) return
        const here = opener instanceof HTMLElement && opener.isConnected ? opener : undefined
        ;(here ?? document.querySelector<HTMLElement>('main h1'))?.focus({ preventScroll: true })
      })
  }, [])
  return (
    <dialog ref={it} class={wide ? 'wide' : ''} onClose={close} aria-labelledby="dialog-title">
      <div class="card-head">
        <h2 id="dialog-title">{title}</h2>
        <button type="button" class="bare" aria-label={t('close')} onClick={() => it.current?.close()}>
          <Icon name="close" />
        </button>
      </div>
      {children}
    </dialog>
  )
}

/** A dialog that asks; the button with its label does what was asked about. */
export function Question({
  label,
  question,
  act,
  close,
}: {
  readonly label: string
  readonly question: string
  readonly act: () => Promise<unknown>
  readonly close: () => void
}) {
  const once = useOnce()
  return (
    <Dialog title={label} close={close}>
      <p>{question}</p>
      <div class="actions end">
        <Button onClick={close}>{t('cancel')}</Button>
        <Button
          kind="danger"
          onClick={async () => {
            await once(act)
            close()
          }}
        >
          {label}
        </Button>
      </div>
    </Dialog>
  )
}

/** Asks before what cannot be taken back. */
export function Sure({
  label,
  question,
  act,
  kind = 'plain',
}: {
  readonly label: string
  readonly question: string
  readonly act: () => Promise<unknown>
  readonly kind?: 'plain' | 'danger'
}) {
  const [isOpen, open] = useState(false)
  return (
    <>
      <Button kind={kind} onClick={() => open(true)}>
        {label}
      </Button>
      {isOpen && <Question label={label} question={question} act={act} close={() => open(false)} />}
    </>
  )
}

export function Copy({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <button
      type="button"
      class="bare"
      aria-label={`${t('copy')}: ${label}`}
      title={t('copy')}
      onClick={() => attempt(() => navigator.clipboard.writeText(text), t('copied'))}
    >
      <Icon name="copy" />
    </button>
  )
}

export const Select = ({
  value,
  options,
  change,
  ...rest
}: {
  readonly value: string
  readonly options: readonly (readonly [value: string, text: string])[]
  readonly change: (value: string) => void
} & { readonly id?: string; readonly 'aria-label'?: string; readonly 'aria-describedby'?: string }) => (
  <select {...rest} value={value} onChange={event => change(event.currentTarget.value)}>
    {options.map(([key, text]) => (
      <option key={key} value={key}>
        {text}
      </option>
    ))}
  </select>
)
