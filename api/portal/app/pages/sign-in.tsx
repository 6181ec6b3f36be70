import { useEffect, useState } from 'preact/hooks'
import { endedSessions, sessions, signIn } from '../api.ts'
import { go, href } from '../router.ts'
import { t } from '../texts/index.ts'
import { Button, Field, Trouble } from '../ui/basics.tsx'
import { Chooser } from '../ui/chooser.tsx'

export function SignIn({ isConsole, refused }: { readonly isConsole: boolean; readonly refused: string | undefined }) {
  const [error, tell] = useState<Error | undefined>(undefined)
  const [key, setKey] = useState('')
  const [isBusy, setBusy] = useState(false)
  const title = t(isConsole ? 'consoleTitle' : 'signInTitle')
  useEffect(() => {
    document.title = title
  }, [title])
  const hasEnded = endedSessions.value.has(isConsole ? 'operator' : 'customer')
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    setBusy(true)
    const fault = await signIn({ key })
    setBusy(false)
    tell(fault)
    if (fault !== undefined) return
    setKey('')
    if (isConsole && !sessions.value?.operator) go()
    if (!isConsole && !sessions.value?.customer) go('operator')
  }
  return (
    <main class="sign-in">
      <form onSubmit={submit}>
        <p class="brand">
          <span class="wave-mark" aria-hidden="true">
            <i />
            <i />
            <i />
            <i />
          </span>
          Sauti
        </p>
        <h1>{title}</h1>
        <p class="soft">{t(isConsole ? 'consoleLead' : 'signInLead')}</p>
        <Trouble error={error ?? refused ?? (hasEnded ? t('sessionEnded') : undefined)} />
        <Field label={t(isConsole ? 'operatorKey' : 'apiKey')} hint={t('keyHint')}>
          {id => (
            <input
              {...id}
              type="password"
              name="key"
              autocomplete="off"
              spellcheck={false}
              required
              value={key}
              onInput={event => setKey(event.currentTarget.value)}
            />
          )}
        </Field>
        <Button kind="main" type="submit" disabled={isBusy}>
          {t('signIn')}
        </Button>
        <p class="links">
          <a href={isConsole ? href() : href('operator')}>{t(isConsole ? 'toPortal' : 'toConsole')}</a>
          <a href="/docs">{t('apiReference')}</a>
        </p>
        <Chooser />
      </form>
    </main>
  )
}
