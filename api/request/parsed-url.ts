import { invalid } from '../answer/refusal.ts'

/** A URL that fits its pattern, as it is stored; 422 where it has no meaning (`http://[::1/v`, `http://a.test:99999/`). Blank is empty. */
export function parsedUrl(field: string, url: string): string {
  const trimmed = url.trim()
  if (trimmed !== '' && !URL.canParse(trimmed)) throw invalid(field, 'must be an absolute http or https URL')
  return trimmed
}

/** The URL of status callbacks. A hosted document answers each one with its text, and no program would read the event. */
export function callbackUrl(field: string, url: string, isHosted: (url: string) => boolean): string {
  const parsed = parsedUrl(field, url)
  if (isHosted(URL.parse(parsed)?.href ?? parsed)) {
    throw invalid(field, 'must be the URL of your own server: a hosted document cannot receive status callbacks')
  }
  return parsed
}
