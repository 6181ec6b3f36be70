import { useEffect, useState } from 'preact/hooks'
import { sessions, signOut } from './api.ts'
import { zoneInFull } from './format.ts'
import { whenIdle } from './idle.ts'
import { pageFor } from './pages.tsx'
import { endPhone, isPhoneOpen, PhoneOverlay } from './phone/overlay.tsx'
import { SessionEnd } from './phone/session-end.tsx'
import { href, place } from './router.ts'
import { followShortcuts } from './shortcuts.ts'
import { language, type TextKey, t } from './texts/index.ts'
import { Button } from './ui/basics.tsx'
import { Chooser } from './ui/chooser.tsx'
import { Icon, type IconName } from './ui/icon.tsx'

type Entry = readonly [path: string, text: TextKey, icon: IconName]

const customer: readonly Entry[] = [
  ['', 'home', 'home'],
  ['calls', 'calls', 'calls'],
  ['documents', 'documents', 'documents'],
  ['numbers', 'numbers', 'numbers'],
  ['assets', 'assets', 'assets'],
  ['people', 'people', 'people'],
  ['recordings', 'recordings', 'recordings'],
  ['webhooks', 'webhooks', 'webhooks'],
  ['events', 'events', 'events'],
  ['wallet', 'wallet', 'wallet'],
  ['keys', 'keys', 'keys'],
]
const operator: readonly Entry[] = [
  ['operator', 'liveFigures', 'live'],
  ['operator/accounts', 'accounts', 'accounts'],
  ['operator/pool', 'pool', 'numbers'],
  ['operator/trunks', 'trunks', 'trunks'],
  ['operator/rates', 'rates', 'rates'],
  ['operator/destinations', 'destinations', 'blocked'],
  ['operator/changes', 'changes', 'audit'],
  ['operator/sessions', 'sessions', 'keys'],
]

/** Well after the page: to load the names of zones takes the browser longer than all the rest of the menu. */
function Zone() {
  const [zone, set] = useState('')
  const spoken = language.value
  useEffect(() => whenIdle(() => set(zoneInFull())), [spoken])
  return <li class="zone">{zone !== '' && t('timesIn', { zone })}</li>
}

export function Shell({ isConsole }: { readonly isConsole: boolean }) {
  const [isOpen, open] = useState(false)
  const { path } = place.value
  const here = path.join('/')
  useEffect(() => open(false), [here])
  useEffect(() => (isConsole ? undefined : followShortcuts()), [isConsole])
  const entries = isConsole ? operator : customer
  const current = isConsole ? path.slice(0, 2).join('/') : (path[0] ?? '')
  const kind = isConsole ? 'operator' : 'customer'
  return (
    <div class={`shell ${isConsole ? 'console' : ''} ${!isConsole && isPhoneOpen.value ? 'with-phone' : ''}`}>
      <button type="button" class="skip" onClick={() => document.querySelector<HTMLElement>('main h1')?.focus()}>
        {t('skip')}
      </button>
      <header class="bar">
        <button
          type="button"
          class="bare only-narrow"
          aria-expanded={isOpen}
          aria-controls="menu"
          aria-label={t('menu')}
          onClick={() => open(!isOpen)}
        >
          <Icon name={isOpen ? 'close' : 'menu'} />
        </button>
        <a class="brand" href={isConsole ? href('operator') : href()}>
          <span class="wave-mark" aria-hidden="true">
            <i />
            <i />
            <i />
            <i />
          </span>
          Sauti
          {isConsole && <small>{t('console')}</small>}
        </a>
        <span class="who">{isConsole ? '' : sessions.value?.customer?.account_name}</span>
        {!isConsole && <PhoneOverlay />}
        <Chooser />
        <SessionEnd
          session={isConsole ? undefined : sessions.value?.customer?.session}
          label={t('signOut')}
          icon={<Icon name="out" />}
          act={async () => {
            if (!isConsole) await endPhone()
            await signOut(kind)
          }}
        />
      </header>
      <nav id="menu" class={isOpen ? 'open' : ''} aria-label={t('menu')}>
        <ul>
          {entries.map(([to, text, icon]) => (
            <li key={to}>
              <a href={`#/${to}`} aria-current={to === current ? 'page' : undefined}>
                <Icon name={icon} />
                {t(text)}
              </a>
            </li>
          ))}
        </ul>
        <ul class="foot">
          <li class="only-small">
            <Chooser />
          </li>
          <Zone />
          <li>
            <a href="/docs">{t('apiReference')}</a>
          </li>
          {isConsole ? (
            sessions.value?.customer && (
              <li>
                <a href={href()}>{t('toPortal')}</a>
              </li>
            )
          ) : (
            <li>
              <a href={href('operator')}>{t('toConsole')}</a>
            </li>
          )}
        </ul>
      </nav>
      <main id="main">{pageFor(path)}</main>
      {isOpen && <Button class="veil" aria-label={t('close')} onClick={() => open(false)} />}
    </div>
  )
}
