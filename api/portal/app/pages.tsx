import type { ComponentType, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Calls } from './pages/calls.tsx'
import { Home } from './pages/home.tsx'
import { href } from './router.ts'
import { t } from './texts/index.ts'
import { Button, Page, Trouble, Waiting } from './ui/basics.tsx'

// What most visits need is in the first load; the other pages come when they are opened.

interface Module {
  readonly default: ComponentType<{ readonly id: string }>
}

const later: Readonly<Record<string, () => Promise<Module>>> = {
  call: () => import('./pages/call.tsx'),
  documents: () => import('./pages/documents.tsx'),
  document: () => import('./pages/document.tsx'),
  numbers: () => import('./pages/numbers.tsx'),
  assets: () => import('./pages/assets.tsx'),
  people: () => import('./pages/people.tsx'),
  recordings: () => import('./pages/recordings.tsx'),
  webhooks: () => import('./pages/webhooks.tsx'),
  events: () => import('./pages/events.tsx'),
  wallet: () => import('./pages/wallet.tsx'),
  keys: () => import('./pages/keys.tsx'),
  'operator/': () => import('./operator/live.tsx'),
  'operator/accounts': () => import('./operator/accounts.tsx'),
  'operator/account': () => import('./operator/account.tsx'),
  'operator/pool': () => import('./operator/pool.tsx'),
  'operator/trunks': () => import('./operator/trunks.tsx'),
  'operator/rates': () => import('./operator/rates.tsx'),
  'operator/destinations': () => import('./operator/destinations.tsx'),
  'operator/changes': () => import('./operator/changes.tsx'),
  'operator/sessions': () => import('./operator/sessions.tsx'),
}

function Later({ name, id }: { readonly name: string; readonly id: string }) {
  const [found, set] = useState<{ name: string; Part: Module['default'] } | undefined>(undefined)
  const [failed, tell] = useState('')
  useEffect(() => {
    let isOver = false
    later[name]?.().then(
      // A page that was left meanwhile must not take the place of the one that is open.
      module => isOver || set({ name, Part: module.default }),
      () => isOver || tell(name),
    )
    return () => {
      isOver = true
    }
  }, [name])
  if (failed === name)
    return (
      <Page title={t('pageNotLoaded')}>
        <Trouble error={t('pageNotLoadedWhy')} />
        <div class="actions">
          <Button kind="main" onClick={() => location.reload()}>
            {t('loadAgain')}
          </Button>
        </div>
      </Page>
    )
  return found?.name === name ? <found.Part key={`${name} ${id}`} id={id} /> : <Waiting />
}

/** `calls/<uuid>` is the page of a call, `documents/<uuid>` that of a document. */
export function pageFor(path: readonly string[]): JSX.Element {
  const [first = '', second = '', third = ''] = path
  if (first === '') return <Home />
  if (first === 'calls' && second === '') return <Calls />
  const name =
    first === 'operator'
      ? second === 'accounts' && third !== ''
        ? 'operator/account'
        : `operator/${second}`
      : second !== '' && (first === 'calls' || first === 'documents')
        ? first.slice(0, -1)
        : first
  if (!(name in later))
    return (
      <Page title={t('notFound')}>
        <p>
          <a href={href()}>{t('home')}</a>
        </p>
      </Page>
    )
  return <Later name={name} id={first === 'operator' ? third : second} />
}
