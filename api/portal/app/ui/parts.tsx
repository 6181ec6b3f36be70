import { useState } from 'preact/hooks'
import { count } from '../format.ts'
import { filter, place } from '../router.ts'
import { t } from '../texts/index.ts'
import { Button } from './basics.tsx'

/** As many as a browser lays out at once without a person waiting for it. */
const partSize = 300

/**
 * A part of a long row that has its order in time; the part stands in the address under `name`. Without one it is the first,
 * where the row grows (`isLive`) the last.
 */
export function useParts<Item>(name: string, all: readonly Item[], isLive: boolean) {
  // A call that ends while it is looked at stays where it is.
  const [beganLive] = useState(isLive)
  const parts = Math.max(1, Math.ceil(all.length / partSize))
  const asked = Number(place.value.query.get(name) ?? (beganLive ? parts : 1)) || 1
  const part = Math.min(parts, Math.max(1, Math.floor(asked)))
  const from = (part - 1) * partSize
  return { shown: all.slice(from, from + partSize), name, part, parts, from, total: all.length }
}

export function PartPager({ name, part, parts, from, total }: Omit<ReturnType<typeof useParts>, 'shown'>) {
  if (parts === 1) return null
  const move = (to: number) => filter({ [name]: String(to) })
  const to = Math.min(total, from + partSize)
  return (
    <nav class="pager" aria-label={t('pages')}>
      <span role="status">{t('pageOf', { from: count(from + 1), to: count(to), total: count(total) })}</span>
      <Button disabled={part === 1} onClick={() => move(1)}>
        {t('beginning')}
      </Button>
      <Button disabled={part === 1} onClick={() => move(part - 1)}>
        {t('earlier')}
      </Button>
      <Button disabled={part === parts} onClick={() => move(part + 1)}>
        {t('later')}
      </Button>
      <Button disabled={part === parts} onClick={() => move(parts)}>
        {t('newestPart')}
      </Button>
    </nav>
  )
}
