import { type LiveEvent, listen } from '../live.ts'
import { t } from '../texts/index.ts'
import { tell } from '../ui/basics.tsx'

/** A try is given ten seconds for its answer. */
const patienceMs = 12_000

/** How a callback ended that is sent now, as the event stream says it; undefined: not within the time of a try. */
function endOf(fits: (data: LiveEvent['data']) => boolean): Promise<LiveEvent | undefined> {
  return new Promise(resolve => {
    const done = (end?: LiveEvent) => {
      clearTimeout(timer)
      leave()
      resolve(end)
    }
    const leave = listen(events => {
      const end = events.find(({ code, data }) => (code === 'WH.0200' || code === 'WH.0400') && fits(data))
      if (end !== undefined) done(end)
    })
    const timer = setTimeout(done, patienceMs)
  })
}

/** Sends a callback, and tells what was answered: that it was asked for says nothing. */
export async function sendAndTell(fits: (data: LiveEvent['data']) => boolean, send: () => Promise<boolean>) {
  const ended = endOf(fits)
  if (!(await send())) return
  const end = await ended
  if (end === undefined) tell(t('notDeliveredYet'), true)
  else {
    const answer = String(end.data.status ?? t('noAnswer'))
    tell(t(end.code === 'WH.0200' ? 'deliveredWith' : 'notDelivered', { answer }), end.code !== 'WH.0200')
  }
}
