import type { RefusalBody } from './switch-texts/index.ts'
import { t } from './texts/index.ts'

/** What the API refused, in its own words; `about` names what of several things it was. */
export class Refused extends Error {
  readonly body: RefusalBody
  readonly about: string

  constructor(body: RefusalBody, about = '') {
    super(body.detail)
    this.body = body
    this.about = about
  }
}

const isRefusal = (error: unknown): error is RefusalBody =>
  typeof (error as { detail?: unknown } | null | undefined)?.detail === 'string'

/** What went wrong with a request: what the API says of it, or that it said nothing. */
export function faultOf(error: unknown, about = ''): Error {
  if (error instanceof Error) return error
  return isRefusal(error) ? new Refused(error, about) : new Error(t('noServerAnswer'))
}
