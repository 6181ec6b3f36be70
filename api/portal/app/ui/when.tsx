import { ago, dateTime } from '../format.ts'
import { t } from '../texts/index.ts'

interface WhenProps {
  readonly iso: string | null | undefined
}

/** A moment as the clock says it; how long ago, and the whole of it in UTC, at the pointer. */
export function When({ iso }: WhenProps) {
  if (!iso) return '–'
  return (
    <time dateTime={iso} title={[ago(iso), iso].filter(text => text !== '').join(' · ')}>
      {dateTime(iso)}
    </time>
  )
}

/** When something was used last: how long ago says more than a date. */
export const LastUsed = ({ iso }: WhenProps) => {
  if (!iso) return <span class="soft">{t('never')}</span>
  return (
    <time dateTime={iso} title={`${dateTime(iso)} · ${iso}`}>
      {ago(iso) || dateTime(iso)}
    </time>
  )
}
