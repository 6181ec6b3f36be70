import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { t } from '../texts/index.ts'
import { attempt, Button, Question } from '../ui/basics.tsx'
import { hasLiveCall } from './live-calls.ts'

/** A button that ends a session; it asks first where a call of the session's phone would end with it. */
export function SessionEnd({
  session,
  label,
  act,
  icon,
}: {
  /** Undefined: one that has no phone. */
  readonly session: string | undefined
  readonly label: string
  readonly act: () => Promise<unknown>
  /** In place of the label. */
  readonly icon?: ComponentChildren
}) {
  const [isOpen, open] = useState(false)
  const press = () =>
    attempt(async () => {
      if (session !== undefined && (await hasLiveCall(session))) open(true)
      else await act()
    })
  return (
    <>
      {icon === undefined ? (
        <Button onClick={press}>{label}</Button>
      ) : (
        <button type="button" class="bare" aria-label={label} title={label} onClick={press}>
          {icon}
        </button>
      )}
      {isOpen && <Question label={label} question={t('sessionHasCall')} act={act} close={() => open(false)} />}
    </>
  )
}
