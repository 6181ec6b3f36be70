import { useRef } from 'preact/hooks'
import { number } from '../format.ts'
import { filter, href, place } from '../router.ts'
import { t, word } from '../texts/index.ts'
import { Button, Data, Dialog } from '../ui/basics.tsx'
import { PartPager, useParts } from '../ui/parts.tsx'
import { useWidth } from '../ui/width.ts'
import type { Trace, TraceEntry } from './trace.ts'

/** Between two parties: as much as the page has room for, within these. */
const [narrowest, widest] = [112, 280]
/** Left of the parties, for the times. */
const times = 82
/** Of a letter of a message, at most. */
const letterWidth = 6.1
/** Of a letter of a party's number. */
const partyWidth = 7
const row = 26
/** Letters of a message over its text. */
const longestTitle = 60
const top = 44

/** Where another call of the switch is the caller, the messages and what calling cost are with that one. */
function NoMessages({ trace: { legs, from_number: from } }: { readonly trace: Trace }) {
  if (!legs.some(({ role, via }) => role === 'caller' && via === 'on-net')) return <p class="soft">{t('noMessages')}</p>
  return (
    <>
      <p class="soft">{t('noMessagesOnNet')}</p>
      <p>
        <a href={`${href('calls')}?search=${encodeURIComponent(from)}`}>{t('callsOf', { number: number(from) })}</a>
      </p>
    </>
  )
}

/** SIP messages as arrows between the parties and the switch, each with its time; one that is chosen stands in the address. */
export function Ladder({ trace, isLive }: { readonly trace: Trace; readonly isLive: boolean }) {
  const all = trace.entries.filter(entry => entry.kind === 'sip' && entry.leg !== null)
  const { shown: messages, ...parts } = useParts('messages', all, isLive)
  const [first, ...others] = trace.legs
  const parties = [...(first === undefined ? [] : [first.id]), '', ...others.map(leg => leg.id)]
  const [it, room] = useWidth<HTMLElement>(times)
  const rows = useRef<HTMLOListElement>(null)
  const seq = Number(place.value.query.get('message') ?? -1)
  const opened = all.findIndex(entry => entry.seq === seq)
  const roomFor = (room - times) / Math.max(1, parties.length)
  const lane = Math.floor(Math.max(narrowest, Math.min(widest, roomFor)))
  const longest = Math.floor(lane / letterWidth)
  const x = (leg: string) => times + lane * parties.indexOf(leg) + lane / 2
  const width = times + lane * parties.length
  const height = top + row * messages.length + 16
  if (messages.length === 0) return <NoMessages trace={trace} />
  return (
    <>
      <p class="hint">{t('ladderHint')}</p>
      <section class="ladder" ref={it} aria-label={t('ladder')}>
        <svg viewBox={`0 0 ${width} ${height}`} style={{ width: `${width}px` }} aria-hidden="true">
          {parties.map(id => {
            const leg = trace.legs.find(each => each.id === id)
            return (
              <g key={id}>
                <text class="party" x={x(id)} y={16} text-anchor="middle">
                  {leg === undefined ? 'Sauti' : cut(number(leg.number), Math.floor(lane / partyWidth))}
                </text>
                <text class="tick" x={x(id)} y={31} text-anchor="middle">
                  {leg === undefined ? '' : `${leg.id} · ${word('via', leg.via)}`}
                </text>
                <line class="lane" x1={x(id)} x2={x(id)} y1={top - 6} y2={height} />
              </g>
            )
          })}
          {messages.map((entry, at) => {
            const y = top + row * at + 14
            const isIn = entry.data.direction === 'received'
            const [from, to] = isIn ? [x(entry.leg ?? ''), x('')] : [x(''), x(entry.leg ?? '')]
            const side = to > from ? -1 : 1
            const isBad = /^[456]\d\d/.test(entry.text)
            return (
              <g key={entry.seq} class={isBad ? 'bad' : ''}>
                <text class="tick" x={76} y={y + 3} text-anchor="end">
                  {(entry.ms / 1000).toFixed(3)} s
                </text>
                <line class="arrow" x1={from} x2={to} y1={y} y2={y} />
                <path class="head" d={`M${to} ${y}l${8 * side} -4v8z`} />
                <text class="message" x={(from + to) / 2} y={y - 4} text-anchor="middle">
                  {shortened(entry.text, longest)}
                </text>
              </g>
            )
          })}
        </svg>
        <ol ref={rows} style={{ width: `${width}px` }}>
          {messages.map((entry, at) => (
            <li key={entry.seq} style={{ top: `${top + row * at - 3}px`, height: `${row}px` }}>
              <button
                type="button"
                // One of them is reached by Tab, the others from there by arrows: there may be hundreds.
                tabIndex={entry.seq === seq || (opened === -1 && at === 0) ? 0 : -1}
                aria-label={told(entry)}
                onKeyDown={event => move(event, rows.current, at)}
                onClick={() => open(entry)}
              />
            </li>
          ))}
        </ol>
      </section>
      <PartPager {...parts} />
      {opened !== -1 && <Message all={all} at={opened} />}
    </>
  )
}

const open = (entry: TraceEntry | undefined) =>
  filter({ message: entry === undefined ? '' : String(entry.seq) }, { replace: true })

/** Up and down among the messages. */
function move(event: KeyboardEvent, rows: HTMLElement | null, at: number): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  const next = rows?.querySelectorAll('button')[at + step]
  if (step === 0 || next === undefined) return
  event.preventDefault()
  next.focus()
}

/** One message as it was sent or received, and the ways to those before and after it. */
function Message({ all, at }: { readonly all: readonly TraceEntry[]; readonly at: number }) {
  const entry = all[at]
  if (entry === undefined) return null
  return (
    <Dialog title={shortened(entry.text, longestTitle)} close={() => open(undefined)} wide>
      <p class="soft">{told(entry)}</p>
      {/* By its key it begins at its top. */}
      <Data key={entry.seq} value={entry.data} label={t('trace.sip')} />
      <div class="actions end">
        <Button disabled={at === 0} onClick={() => open(all[at - 1])}>
          {t('earlier')}
        </Button>
        <Button disabled={at === all.length - 1} onClick={() => open(all[at + 1])}>
          {t('later')}
        </Button>
      </div>
    </Dialog>
  )
}

/** A request by its method and whom it is for; the whole line stands in the timeline. */
function shortened(text: string, longest: number): string {
  const short = text.replace(/^([A-Z]+) sips?:([^@;>\s]+)@\S*$/, '$1 $2')
  return cut(short, longest)
}

const cut = (text: string, longest: number): string => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text)

/** Said of an arrow where it is not seen, and over the message itself. */
const told = ({ ms, leg, data, text }: TraceEntry): string =>
  t(data.direction === 'received' ? 'messageFrom' : 'messageTo', { at: (ms / 1000).toFixed(2), leg: leg ?? '', text })
