import { useLayoutEffect, useRef } from 'preact/hooks'
import { api, must } from '../api.ts'
import { count } from '../format.ts'
import { useLoad } from '../load.ts'
import { href } from '../router.ts'
import { t } from '../texts/index.ts'
import { Badge, Card, reachable } from '../ui/basics.tsx'
import { ProblemText } from '../ui/said.tsx'
import { type DocumentCourse, documentCourses, piecesOf } from './document-course.ts'
import type { TraceEntry } from './trace.ts'

/** The documents that a call asked for, with the verbs that ran and what is wrong in them; the last one is unfolded. */
export function RanDocuments({
  entries,
  isLive,
}: {
  readonly entries: readonly TraceEntry[]
  readonly isLive: boolean
}) {
  const courses = documentCourses(entries)
  const hasHosted = courses.some(({ url }) => url.includes('/hosted/'))
  const { data: own } = useLoad(`documents of a call ${hasHosted}`, async () =>
    hasHosted ? (await must(api.GET('/documents/', { params: { query: { limit: 200 } } }))).documents : [],
  )
  if (courses.length === 0) return null
  const running = isLive ? courses.flatMap(({ verbs }) => verbs).at(-1) : undefined
  return (
    <Card title={t('documentsRan')}>
      {running !== undefined && (
        <p class="soft" role="status">
          {t('runningVerb', { verb: `<${running.name}>`, line: running.line })}
        </p>
      )}
      {courses.map((course, place) => {
        const { seq, url, ms, fault } = course
        const hosted = own?.find(document => document.url === url)
        return (
          <details key={seq} class="ran" open={place === courses.length - 1}>
            <summary>
              <Badge tone={fault === undefined ? (course.problems.length === 0 ? 'good' : 'warn') : 'bad'}>
                {t(fault === undefined ? 'documentCame' : 'documentFailed', { ms: ms === null ? '?' : count(ms) })}
              </Badge>{' '}
              <span>{hosted?.name ?? url}</span>
            </summary>
            {hosted !== undefined && (
              <p>
                <a href={href('documents', hosted.uuid)}>{t('openDocument')}</a>
              </p>
            )}
            {fault !== undefined && (
              <p class="bad">
                <ProblemText message={fault} />
              </p>
            )}
            {course.body !== undefined && <Code course={course} runningSeq={running?.seq} />}
          </details>
        )
      })}
      {courses.some(({ verbs }) => verbs.length > 0) && <p class="hint">{t('ranMarked')}</p>}
    </Card>
  )
}

function Code({ course, runningSeq }: { readonly course: DocumentCourse; readonly runningSeq: number | undefined }) {
  const { body = '', verbs, problems } = course
  const it = useRef<HTMLPreElement>(null)
  // What matters is seen without scrolling: a mistake, else where the call is or was last.
  useLayoutEffect(() => {
    const marks = it.current?.querySelectorAll<HTMLElement>('.wrong')
    const mark = marks?.[0] ?? [...(it.current?.querySelectorAll<HTMLElement>('mark.last') ?? [])].at(-1)
    if (it.current !== null && mark !== undefined)
      it.current.scrollTop = mark.offsetTop - it.current.offsetTop - it.current.clientHeight / 2
  }, [runningSeq, problems.length])
  const lastSeq = verbs.at(-1)?.seq
  return (
    <pre class="numbered" ref={it} {...reachable}>
      {body
        .replaceAll('\r\n', '\n')
        .split('\n')
        .map((text, place) => {
          const line = place + 1
          const wrong = problems.filter(problem => problem.line === line)
          const pieces = piecesOf(
            text,
            verbs.filter(verb => verb.line === line),
          )
          return (
            <span key={line} class={wrong.length === 0 ? 'line' : 'line wrong'}>
              <i aria-hidden="true">{line}</i>
              <span>
                {pieces.map(piece =>
                  piece.seq === undefined ? (
                    piece.text
                  ) : (
                    <mark
                      class={piece.seq === lastSeq ? 'last' : ''}
                      aria-current={piece.seq === runningSeq ? 'step' : undefined}
                    >
                      {piece.text}
                    </mark>
                  ),
                )}
                {'\n'}
                {wrong.map(({ column, message }) => (
                  <em key={`${column} ${message}`}>
                    {`${t('lineOf', { line, column })}: `}
                    <ProblemText message={message} />
                  </em>
                ))}
              </span>
            </span>
          )
        })}
    </pre>
  )
}
