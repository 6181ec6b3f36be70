/** Causes of Q.850 in words, as ITU-T Q.850 §2.2.7 defines them. */
export const q850Words: Readonly<Record<number, string>> = {
  1: 'unallocated number',
  2: 'no route to the transit network',
  3: 'no route to the destination',
  6: 'channel unacceptable',
  17: 'user busy',
  18: 'no user responding',
  19: 'no answer from the user',
  20: 'subscriber absent',
  21: 'call rejected',
  22: 'number changed',
  26: 'non-selected user clearing',
  27: 'destination out of order',
  28: 'invalid number format',
  29: 'facility rejected',
  34: 'no circuit available',
  38: 'network out of order',
  41: 'temporary failure',
  42: 'switching equipment congestion',
  44: 'requested circuit not available',
  47: 'resource unavailable',
  50: 'facility not subscribed',
  55: 'incoming calls barred',
  57: 'bearer capability not authorised',
  58: 'bearer capability not available',
  63: 'service not available',
  65: 'bearer capability not implemented',
  69: 'facility not implemented',
  70: 'only restricted digital information',
  79: 'service not implemented',
  81: 'invalid call reference',
  87: 'not a member of the closed user group',
  88: 'incompatible destination',
  95: 'invalid message',
  96: 'mandatory information missing',
  97: 'message type not implemented',
  100: 'invalid information',
  101: 'message in the wrong state',
  102: 'recovery on timer expiry',
  111: 'protocol error',
}

/** `Q.850 cause 41, temporary failure`. */
export const q850Text = (cause: number): string =>
  `Q.850 cause ${cause}${q850Words[cause] === undefined ? '' : `, ${q850Words[cause]}`}`

/** Normal clearing, normal and interworking without a cause of their own; some peers write 0 for none. */
const ordinary: ReadonlySet<number> = new Set([0, 16, 31, 127])

/** Whether a BYE with this cause speaks of a failure and not of a hang-up. */
export const isQ850Failure = (cause: number): boolean => !ordinary.has(cause)
