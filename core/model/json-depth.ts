/**
 * Objects and lists within one another in what customers send. Real data has a handful; thousands overflow the stack of
 * whatever walks them, also of what copies them from thread to thread.
 */
export const maxJsonLevels = 64

/** Whether a JSON value has more than so many levels of objects and lists. */
export const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some(item => isDeeper(item, levels - 1)))
