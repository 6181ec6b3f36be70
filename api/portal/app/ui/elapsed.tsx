import { useEffect, useState } from 'preact/hooks'
import { length } from '../format.ts'
import { SecondHand } from '../second-hand.ts'
import { serverNow } from '../server-time.ts'

const hand = new SecondHand({
  isSeen: () => !document.hidden,
  onSeen: changed => document.addEventListener('visibilitychange', changed),
  every(ms, beat) {
    const timer = setInterval(beat, ms)
    return () => clearInterval(timer)
  },
})

/** How long ago something began, counting by the second: nothing but this text is drawn again. */
export function Elapsed({ since }: { readonly since: string }) {
  const [now, set] = useState(serverNow)
  useEffect(() => hand.follow(() => set(serverNow())), [])
  return length(Math.max(0, Math.floor((now - Date.parse(since)) / 1000)))
}
