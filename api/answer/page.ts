export interface Page {
  readonly limit: number
  readonly offset: number
}

/** `{ calls: […], total, limit, offset }`, the API's form of a page. */
export const pageAnswer = <Name extends string, Row>(name: Name, rows: readonly Row[], total: number, page: Page) =>
  ({ [name]: rows, total, limit: page.limit, offset: page.offset }) as Record<Name, readonly Row[]> & {
    total: number
    limit: number
    offset: number
  }
