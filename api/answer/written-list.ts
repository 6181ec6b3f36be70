import { Readable } from 'node:stream'

/** JSON of a list whose rows are long: each is made when the reader has taken the one before. */
export function writtenList(head: string, rows: AsyncIterable<object>, tail: () => string): Readable {
  return Readable.from(pieces(head, rows, tail))
}

async function* pieces(head: string, rows: AsyncIterable<object>, tail: () => string): AsyncGenerator<Buffer> {
  // With the first row: what fails before it is answered as a failure.
  let before = head
  for await (const row of rows) {
    yield Buffer.from(before + JSON.stringify(row))
    before = ','
  }
  yield Buffer.from(before === ',' ? tail() : before + tail())
}
