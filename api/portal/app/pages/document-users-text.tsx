import { number } from '../format.ts'
import { href } from '../router.ts'
import { t, word } from '../texts/index.ts'
import type { DocumentUsers } from './document-users.ts'

/** More stand in a tooltip's worth of words. */
const mostNamed = 3

/** Each with the way to where it is set. */
export function DocumentUsersText({ of: { numbers, purposes } }: { readonly of: DocumentUsers }) {
  const more = numbers.length - mostNamed
  const links = [
    ...numbers.slice(0, mostNamed).map(each => (
      <a key={each} class="nowrap" href={`${href('numbers')}?number=${encodeURIComponent(each)}`}>
        {number(each)}
      </a>
    )),
    ...(more > 0
      ? [
          <a key="more" href={href('numbers')}>
            {t('andMore', { count: more })}
          </a>,
        ]
      : []),
    ...purposes.map(purpose => (
      <a key={purpose} href={href('webhooks')}>
        {word('purpose', purpose)}
      </a>
    )),
  ]
  if (links.length === 0) return <span class="soft">{t('notUsed')}</span>
  return <span>{links.flatMap((link, place) => (place === 0 ? [link] : [', ', link]))}</span>
}
