import type { LegUuid } from '../../model/ids.ts'
import type { MediaCommand, MediaEvent } from '../../ports/media.ts'
import { type CloseCommand, endedOrder, type OpenCommand, type OrderEnded } from './engine-words.ts'

/** Any command to a leg but its first and its last. */
export type Order = Exclude<MediaCommand, OpenCommand | CloseCommand>

/** An order whose end is reported. */
type EndingOrder = Extract<
  Order,
  { readonly type: 'media.play' | 'media.record' | 'media.record-session' | 'media.send-digits' }
>

/** What is left in a recording's file whose writer is gone. */
export type MeasureRecording = (path: string) => { readonly durationMs: number; readonly sizeBytes: number }

const none: readonly never[] = []

const hasEnd = (order: Order): order is EndingOrder =>
  order.type === 'media.play' ||
  order.type === 'media.record' ||
  order.type === 'media.record-session' ||
  order.type === 'media.send-digits'

/** The end that the engine did not report. `measure` undefined: the order never began. */
function endOf(legId: LegUuid, order: EndingOrder, measure?: MeasureRecording): MediaEvent {
  if (order.type === 'media.play') return { type: 'media.played', legId, playId: order.playId, completed: false }
  if (order.type === 'media.send-digits') return { type: 'media.digits-sent', legId, digitsId: order.digitsId }
  const { durationMs, sizeBytes } = measure?.(order.path) ?? { durationMs: 0, sizeBytes: 0 }
  return { type: 'media.recorded', legId, recordId: order.recordId, durationMs, sizeBytes, endedBy: 'failed' }
}

/** The end of an order to a leg that carries out none any more; undefined: no answer is expected. */
export const endOfLate = (order: Order): MediaEvent | undefined =>
  hasEnd(order) ? endOf(order.legId, order) : undefined

const isEndOf = (order: EndingOrder, ended: OrderEnded): boolean => {
  if (order.type === 'media.play') return ended.type === 'played' && ended.play === order.playId
  if (order.type === 'media.send-digits') return ended.type === 'digits-sent' && ended.digitsId === order.digitsId
  return ended.type === 'recorded' && ended.recording === order.recordId
}

/**
 * What was ordered of a leg: each order waits here until the leg is open, and ends here exactly once. Most legs have
 * one or two at a time, and many none: nothing is allocated before the first.
 */
export class LegOrders {
  #held: Order[] | undefined
  /** What has not ended, held or begun, in the order in which it came. */
  #running: EndingOrder[] | undefined

  /** Until `takeHeld`. */
  hold(order: Order): void {
    this.#held ??= []
    this.#held.push(order)
    this.note(order)
  }

  /** What waited, once. */
  takeHeld(): readonly Order[] {
    const held = this.#held ?? none
    this.#held = undefined
    return held
  }

  /** It has an end to come. */
  note(order: Order): void {
    if (!hasEnd(order)) return
    this.#running ??= []
    this.#running.push(order)
  }

  /**
   * The end that the engine reports, once; undefined: it has been reported before. Of a recording whose disk has refused
   * more, the file says how much is kept.
   */
  ended(legId: LegUuid, ended: OrderEnded, measure: MeasureRecording): MediaEvent | undefined {
    const at = this.#running?.findIndex(order => isEndOf(order, ended)) ?? -1
    const [order] = at === -1 ? [] : (this.#running?.splice(at, 1) ?? [])
    if (order === undefined) return undefined
    const isPartial = ended.type === 'recorded' && ended.endedBy === 'failed' && ended.sizeBytes > 0
    return isPartial ? endOf(legId, order, measure) : endedOrder(legId, ended)
  }

  /** The ends of all that has none yet: its session is gone. What was held has written no file. */
  endAll(legId: LegUuid, measure: MeasureRecording): readonly MediaEvent[] {
    const held = this.takeHeld()
    const running = this.#running
    this.#running = undefined
    if (running === undefined) return none
    const isHeld = new Set<Order>(held)
    return running.map(order => endOf(legId, order, isHeld.has(order) ? undefined : measure))
  }

  /** How many have not ended. */
  count(kind: 'play' | 'recording' | 'digits'): number {
    const isOf = {
      play: ({ type }: EndingOrder) => type === 'media.play',
      recording: ({ type }: EndingOrder) => type === 'media.record' || type === 'media.record-session',
      digits: ({ type }: EndingOrder) => type === 'media.send-digits',
    }[kind]
    return this.#running?.filter(isOf).length ?? 0
  }
}
