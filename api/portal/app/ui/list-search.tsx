import type { ComponentChildren } from 'preact'
import { filter, place } from '../router.ts'
import { t } from '../texts/index.ts'
import { Button, Empty } from './basics.tsx'
import { SearchField } from './search-field.tsx'

/** What the list of this page is searched for: it stands in the address. Empty: for nothing. */
export const searchedFor = (): string => place.value.query.get('search') ?? ''

/** Searches the list from its first page on, once nothing was typed for `typingMs` (default 300). */
export const ListSearch = ({ label, typingMs = 300 }: { readonly label: string; readonly typingMs?: number }) => (
  <search class="filters">
    <SearchField
      label={label}
      placeholder={label}
      value={searchedFor()}
      typingMs={typingMs}
      change={text => filter({ search: text.trim(), from: '' }, { replace: true })}
    />
  </search>
)

/** In place of the rows where the search finds none. */
export const NoneFound = ({ children }: { readonly children: ComponentChildren }) => (
  <Empty action={<Button onClick={() => filter({ search: '' })}>{t('clear')}</Button>}>{children}</Empty>
)
