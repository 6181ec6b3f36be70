/** A line without control characters: what others wrote gives no orders to a terminal (ECMA-48). */
export const printable = (line: string): string => line.replace(/\p{Cc}/gu, '·')
