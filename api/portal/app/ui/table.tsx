import type { ComponentChildren } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { count } from '../format.ts'
import { filter, place } from '../router.ts'
import { t } from '../texts/index.ts'
import { Button } from './basics.tsx'

export interface Column<Row> {
  readonly head: string
  readonly cell: (row: Row) => ComponentChildren
  readonly class?: string
}

/** A press beside the way that a row leads (`.row-way`) is one of it; what is used or marked in the row stays as it is. */
function follow(event: MouseEvent & { readonly currentTarget: HTMLElement }): void {
  const isUsed = event.target instanceof Element && event.target.closest('a, button, details, .wave') !== null
  const way = event.currentTarget.querySelector<HTMLElement>('.row-way')
  if (isUsed || way === null || getSelection()?.isCollapsed === false) return
  if (way instanceof HTMLAnchorElement && (event.ctrlKey || event.metaKey)) open(way.href, '_blank', 'noopener')
  else {
    // A dialog gives the focus back to where it was.
    way.focus({ preventScroll: true })
    way.click()
  }
}

/** Rows as a table; on a narrow screen each row is a card, and the heads stand beside the values. */
export function Table<Row>({
  rows,
  columns,
  keyOf,
  caption,
}: {
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string | number
  readonly caption: string
}) {
  return (
    <div class="table">
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ head, class: name }) => (
              <th key={head} scope="col" class={name}>
                {head === '' ? <span class="hidden">{t('actions')}</span> : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={keyOf(row)} onClick={follow}>
              {columns.map(({ head, cell, class: name }) => (
                <td key={head} data-head={head} class={name}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The `seq` before which a list of events begins; undefined: with the newest. */
export function beforeOf(): number | undefined {
  const seq = Number(place.value.query.get('before'))
  return Number.isInteger(seq) && seq > 0 ? seq : undefined
}

/** For lists that are asked for by `before`: what is older than the row `last`, and back to the newest. */
export function SeqPager({ last, hasMore }: { readonly last: number | undefined; readonly hasMore: boolean }) {
  const isFirst = beforeOf() === undefined
  if (isFirst && !hasMore) return null
  return (
    <nav class="pager" aria-label={t('pages')}>
      <Button disabled={isFirst} onClick={() => filter({ before: '' })}>
        {t('newest')}
      </Button>
      <Button disabled={!hasMore || last === undefined} onClick={() => filter({ before: String(last) })}>
        {t('older')}
      </Button>
    </nav>
  )
}

export const pageSize = 50
export const offsetOf = (): number => Math.max(0, Math.floor(Number(place.value.query.get('from') ?? 0)) || 0)

/** The place in a long list stands in the address. `rows`: those of this page, for a list whose total is unknown. */
export function Pager({ total: counted, rows = 0 }: { readonly total?: number; readonly rows?: number }) {
  const offset = offsetOf()
  const total = counted ?? offset + rows + (rows === pageSize ? 1 : 0)
  // The last row of a page was deleted, or a link is old: the last page that there is now.
  const last = counted === undefined ? offset - pageSize : Math.floor((total - 1) / pageSize) * pageSize
  useLayoutEffect(() => {
    if (offset > 0 && offset >= total) filter({ from: last <= 0 ? '' : String(last) }, { replace: true })
  })
  if (total <= pageSize && offset === 0)
    return (
      <p class="hidden" role="status">
        {t('pageOf', { from: count(Math.min(1, total)), to: count(total), total: count(total) })}
      </p>
    )
  const move = (to: number) => filter({ from: to <= 0 ? '' : String(to) })
  return (
    <nav class="pager" aria-label={t('pages')}>
      <span role="status">
        {counted === undefined
          ? `${count(offset + 1)}–${count(offset + rows)}`
          : t('pageOf', {
              from: count(Math.min(offset + 1, total)),
              to: count(Math.min(offset + pageSize, total)),
              total: count(total),
            })}
      </span>
      <Button disabled={offset === 0} onClick={() => move(offset - pageSize)}>
        {t('newer')}
      </Button>
      <Button disabled={offset + pageSize >= total} onClick={() => move(offset + pageSize)}>
        {t('older')}
      </Button>
    </nav>
  )
}
