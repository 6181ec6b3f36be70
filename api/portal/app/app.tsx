import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { loadSessions, sessions, signIn } from './api.ts'
import { follow } from './live.ts'
import { SignIn } from './pages/sign-in.tsx'
import { place } from './router.ts'
import { Shell } from './shell.tsx'
import { begun, t } from './texts/index.ts'
import { dismiss, notices, tell, Waiting } from './ui/basics.tsx'
import { Icon } from './ui/icon.tsx'
import { FaultText } from './ui/said.tsx'

/** A link's secret leaves the address at once, and is good once. */
async function start(): Promise<string | undefined> {
  const link = new URLSearchParams(location.hash.slice(1)).get('link')
  if (link === null) {
    await loadSessions()
    return undefined
  }
  history.replaceState(null, '', location.pathname)
  const refused = await signIn({ link })
  await begun
  if (refused !== undefined) await loadSessions()
  else location.hash = sessions.value?.customer ? '#/' : '#/operator'
  if (refused === undefined) return undefined
  if (sessions.value?.customer) tell(t('linkUsed'), true)
  return t('linkUsed')
}

/** Undefined, or why a link did not sign in. */
export const started = start()

export function App() {
  const [refused, refuse] = useState<string | undefined>(undefined)
  useEffect(() => {
    started.then(refuse).catch(fault => refuse(String(fault)))
    const again = () => {
      if (new URLSearchParams(location.hash.slice(1)).has('link')) start().then(refuse)
    }
    addEventListener('hashchange', again)
    return () => removeEventListener('hashchange', again)
  }, [])
  const current = sessions.value
  useEffect(() => {
    if (current?.customer) follow()
  }, [current?.customer?.session])
  const isConsole = place.value.path[0] === 'operator'
  const session = isConsole ? current?.operator : current?.customer
  return (
    <>
      {current === undefined && refused === undefined ? (
        <Waiting />
      ) : session ? (
        // By its key nothing that one session was shown is there for the next.
        <Shell key={session.session} isConsole={isConsole} />
      ) : (
        <SignIn isConsole={isConsole} refused={refused} />
      )}
      <Notices />
    </>
  )
}

/** Above all else, an open dialog too. */
function Notices() {
  const it = useRef<HTMLDivElement>(null)
  const all = notices.value
  useLayoutEffect(() => {
    it.current?.hidePopover()
    if (all.length > 0) it.current?.showPopover()
  }, [all])
  return (
    <div ref={it} class="notices" role="status" popover="manual">
      {all.map(({ id, text, isBad, way }) => (
        <p key={id} class={isBad ? 'bad' : ''}>
          <span>
            <FaultText fault={text} />
          </span>
          {way !== undefined && (
            <a href={way.href} onClick={() => dismiss(id)}>
              {way.text}
            </a>
          )}
          <button type="button" aria-label={t('close')} onClick={() => dismiss(id)}>
            <Icon name="close" />
          </button>
        </p>
      ))}
    </div>
  )
}
