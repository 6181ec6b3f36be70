/** A header as people write it, `Idempotency-Key`: Node gives its name in lower case. */
export const headerName = (name: string): string => name.replace(/\b[a-z]/g, letter => letter.toUpperCase())
