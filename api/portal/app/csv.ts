/** A cell that a spreadsheet would run begins with an apostrophe; a number, of a telephone too, runs nothing. */
const cell = (text: string): string =>
  `"${(/^[=@\t\r]|^[+-](?![\d.]+$)/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`

/** RFC 4180: all cells quoted, CRLF between rows. */
export const csvOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head.join(','), ...rows.map(row => row.map(cell).join(','))].join('\r\n')
