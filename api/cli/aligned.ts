/** Every terminal has at least this many columns. */
export const helpColumns = 80
/** A longer name is on a line of its own, with its text below. */
const widestName = 24

/** Rows of two columns, indented by two, the second column aligned and wrapped. */
export const aligned = (rows: readonly (readonly [string, string])[], columns = helpColumns): string => {
  const width = Math.min(widestName, Math.max(...rows.map(([name]) => name.length)))
  const indent = ' '.repeat(width + 4)
  return rows
    .map(([name, text]) => {
      const lines = wrappedLines(text, columns - indent.length).join(`\n${indent}`)
      if (name.length > width && text !== '') return `  ${name}\n${indent}${lines}`
      return `  ${name.padEnd(width)}  ${lines}`.trimEnd()
    })
    .join('\n')
}

/** Text with no line wider than `columns`; a line that is indented is left as it is. */
export const wrapped = (text: string, columns = helpColumns): string =>
  text
    .split(/\n{2,}/)
    .map(paragraph => (/^\s/.test(paragraph) ? paragraph : wrappedLines(paragraph, columns).join('\n')))
    .join('\n\n')

function wrappedLines(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    const longer = line === '' ? word : `${line} ${word}`
    if (longer.length <= columns || line === '') line = longer
    else {
      lines.push(line)
      line = word
    }
  }
  return [...lines, line]
}
