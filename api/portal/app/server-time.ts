// Ages are counted by the switch's clock: that of a browser may be hours off.

/** `Date` of an answer knows whole seconds, and answers take time on their way: less says nothing. */
const noticedMs = 3000
let aheadMs = 0

/** `date`: that header of an answer that no cache has kept. */
export function noteServerDate(date: string | null, ownMs: number = Date.now()): void {
  const serverMs = Date.parse(date ?? '')
  if (Number.isNaN(serverMs)) return
  aheadMs = Math.abs(serverMs - ownMs) < noticedMs ? 0 : serverMs - ownMs
}

export const serverNow = (ownMs: number = Date.now()): number => ownMs + aheadMs
