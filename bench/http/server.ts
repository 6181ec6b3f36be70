/** A measured HTTP server reports where it listens and how it is asked. */
export interface HttpSubject {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Body of the POST. */
  readonly body: string
}
