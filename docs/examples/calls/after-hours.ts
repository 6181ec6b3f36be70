import { type CallHandler, response } from 'sauti/documents'

const reception = '+254711001201'

/** Nairobi is three hours ahead of UTC, all year. */
const isOpen = (at: Date): boolean => {
  const local = new Date(at.getTime() + 3 * 3_600_000)
  return local.getUTCDay() % 6 !== 0 && local.getUTCHours() >= 8 && local.getUTCHours() < 17
}

/** `now` is a parameter, so that a test can set the hour. */
export const afterHours =
  (now: () => Date = () => new Date()): CallHandler =>
  () =>
    isOpen(now())
      ? response().dial({ number: reception, timeout: '20s' })
      : response().say('We are closed. Please call from eight to five.')
