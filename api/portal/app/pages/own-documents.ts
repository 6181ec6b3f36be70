import { api, must } from '../api.ts'
import { useLoad } from '../load.ts'
import type { DocumentCourse } from './document-course.ts'

const none: readonly never[] = []

/** The account's documents that the switch hosts, where a call has run one of them. */
export function useOwnDocuments(courses: readonly DocumentCourse[]) {
  const hasHosted = courses.some(({ url }) => url.includes('/hosted/'))
  const { data } = useLoad(`documents of a call ${hasHosted}`, async () =>
    hasHosted ? (await must(api.GET('/documents/', { params: { query: { limit: 200 } } }))).documents : none,
  )
  return data ?? none
}
