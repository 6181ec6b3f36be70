import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { count } from '../format.ts'
import { href } from '../router.ts'
import { t } from '../texts/index.ts'
import { Badge, Button, Card, reachable } from '../ui/basics.tsx'
import { ProblemText } from '../ui/said.tsx'
import { type DocumentCourse, piecesOf } from './document-course.ts'
import type { CallParts } from './next-steps.ts'

interface RanDocumentsProps {
  readonly courses: readonly DocumentCourse[]
  /** Those that the switch hosts. */
  readonly own: readonly OwnDocument[]
  readonly isLive: boolean
}
type OwnDocument = CallParts['own'][number]

/** Of many documents the last ones are shown, and as many more each time that they are asked for. */
const shownAtOnce = 20

/** The documents that a call asked for, with the verbs that ran and what is wrong in them; the last one is unfolded. */
export function RanDocuments({ courses, own, isLive }: RanDocumentsProps) {
  const [shown, show] = useState(shownAtOnce)
  if (courses.length === 0) return null
  const running = isLive ? courses.flatMap(({ verbs }) => verbs).at(-1) : undefined
  return (
    <Card id="documents" title={t('documentsRan')}>
      {running !== undefined && (
        <p class="soft" role="status">
          {t('runningVerb', { verb: `<${running.name}>`, line: running.line })}
        </p>
      )}
      {courses.length > shown && (
        <Button onClick={() => show(shown + shownAtOnce)}>
          {t('earlierDocuments', { count: count(courses.length - shown) })}
        </Button>
      )}
      {courses.slice(-shown).map(course => (
        <Course
          key={course.seq}
          course={course}
          hosted={own.find(document => document.url === course.url)}
          isLast={course === courses.at(-1)}
          runningSeq={running?.seq}
        />
      ))}
      {courses.some(({ verbs }) => verbs.length > 0) && <p class="hint">{t('ranMarked')}</p>}
    </Card>
  )
}

interface CourseProps {
  readonly course: DocumentCourse
  /** Where the switch hosts it. */
  readonly hosted: OwnDocument | undefined
  readonly isLast: boolean
  readonly runningSeq: number | undefined
}

/** The last one is unfolded, until a person folds it. */
function Course({ course, hosted, isLast, runningSeq }: CourseProps) {
  const { url, ms, fault, problems } = course
  const [chosen, choose] = useState<boolean>()
  const isOpen = chosen ?? isLast
  const toggled = (isNow: boolean) => {
    if (isNow !== isOpen) choose(isNow)
  }
  return (
    <details class="ran" open={isOpen} onToggle={event => toggled(event.currentTarget.open)}>
      <summary>
        <Badge tone={fault === undefined ? (problems.length === 0 ? 'good' : 'warn') : 'bad'}>
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
      {isOpen && course.body !== undefined && <Code course={course} runningSeq={runningSeq} />}
    </details>
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
