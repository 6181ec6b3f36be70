import type { EditorView } from '@codemirror/view'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { api, must } from '../api.ts'
import type { DocumentProblem, HostedDocument, SimulatedCourse } from '../api-types.ts'
import { dateTime, money } from '../format.ts'
import { useLoad } from '../load.ts'
import { callPhone } from '../phone/overlay.tsx'
import { go, href, place } from '../router.ts'
import { switchTexts } from '../switch-texts/index.ts'
import { t, word } from '../texts/index.ts'
import {
  attempt,
  Badge,
  Button,
  Card,
  Copy,
  Dialog,
  Field,
  Page,
  Select,
  Sure,
  Trouble,
  tell,
  Waiting,
} from '../ui/basics.tsx'
import { ProblemText } from '../ui/said.tsx'
import { SentenceText } from '../ui/sentence-text.tsx'
import { AssignNumber } from './assign-number.tsx'

/** What was typed and not saved, of each document: another page may be looked at in between. */
const drafts = new Map<string, { readonly name: string; readonly body: string }>()

const answers = ['answer', 'busy', 'no-answer', 'declined', 'unavailable'] as const

export default function DocumentPage({ id }: { readonly id: string }) {
  const { data, error, reload } = useLoad(`document ${id}`, async () => {
    const [document, vocabulary, editor] = await Promise.all([
      must(api.GET('/documents/{uuid}', { params: { path: { uuid: id } } })),
      must(api.GET('/documents/vocabulary', {})),
      import('./editor.ts'),
      // The editor says them where nothing is drawn again.
      switchTexts(),
    ])
    return { document, vocabulary, editor }
  })
  const goTo = ({ line: wanted, column }: Pick<DocumentProblem, 'line' | 'column'>) => {
    const editor = view.current
    if (editor === undefined) return
    const line = editor.state.doc.line(Math.max(1, Math.min(wanted, editor.state.doc.lines)))
    editor.dispatch({ selection: { anchor: Math.min(line.to, line.from + column - 1) }, scrollIntoView: true })
    editor.focus()
  }
  /** Where the page of a call has led to, until that is shown. */
  const lineAsked = useRef(Number(place.value.query.get('line') ?? 0))
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | undefined>(undefined)
  const [text, setText] = useState<string | undefined>(undefined)
  const [name, setName] = useState('')
  const [problems, setProblems] = useState<readonly DocumentProblem[]>([])
  const [dialog, show] = useState<'revisions' | 'assign' | undefined>(undefined)
  // Before the browser takes a key: what was typed by then would be written over.
  useLayoutEffect(() => {
    if (data === undefined || host.current === null) return
    const { document, vocabulary, editor } = data
    const draft = drafts.get(id)
    if (draft !== undefined) tell(t('draftKept'))
    setName(draft?.name ?? document.name)
    setText(draft?.body ?? document.body)
    setProblems(document.problems)
    const check = async (body: string) => {
      const { problems: found } = await must(api.POST('/documents/check', { body: { body } }))
      setProblems(found)
      return found
    }
    view.current = editor.openEditor({
      host: host.current,
      text: draft?.body ?? document.body,
      label: t('document'),
      vocabulary,
      check,
      changed: setText,
    })
    if (lineAsked.current > 0) goTo({ line: lineAsked.current, column: 1 })
    lineAsked.current = 0
    return () => view.current?.destroy()
  }, [data])
  const isChanged =
    data !== undefined &&
    ((text ?? data.document.body) !== data.document.body || (name !== '' && name !== data.document.name))
  useLayoutEffect(() => {
    if (!isChanged) {
      if (data !== undefined && text !== undefined) drafts.delete(id)
      return
    }
    drafts.set(id, { name, body: text ?? '' })
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isChanged, name, text])
  if (data === undefined)
    return error === undefined ? (
      <Waiting />
    ) : (
      <Page title={t('document')}>
        <Trouble error={error} retry={reload} />
      </Page>
    )
  const { document } = data
  const body = text ?? document.body
  const save = () =>
    attempt(async () => {
      await must(
        api.PUT('/documents/{uuid}', { params: { path: { uuid: id } }, body: { name: name || document.name, body } }),
      )
      drafts.delete(id)
      reload()
    }, t('saved'))
  const remove = async () => {
    await must(api.DELETE('/documents/{uuid}', { params: { path: { uuid: id } } }))
    drafts.delete(id)
    go('documents')
  }
  return (
    <Page
      title={document.name}
      lead={
        <span class="with-copy">
          <code class="cut">{document.url}</code>
          <Copy text={document.url} label={t('url')} />
        </span>
      }
      actions={
        <>
          <Button onClick={() => show('revisions')}>{t('revisions')}</Button>
          <Button onClick={() => show('assign')}>{t('giveToNumber')}</Button>
          <Sure kind="plain" label={t('delete')} question={t('deleteSure', { name: document.name })} act={remove} />
          <Button kind="main" disabled={!isChanged} onClick={save}>
            {t('save')}
          </Button>
        </>
      }
    >
      <p>
        <a href={href('documents')}>← {t('documents')}</a>
      </p>
      <div class="columns editor-page">
        <div class="stack wide">
          <Card>
            <Field label={t('name')}>
              {field => (
                <input {...field} value={name} maxLength={200} onInput={event => setName(event.currentTarget.value)} />
              )}
            </Field>
            <div class="editor" ref={host} />
            <div class="found" aria-live="polite">
              {problems.length === 0 ? (
                <p>
                  <Badge tone="good">{t('noProblems')}</Badge>
                </p>
              ) : (
                <ul>
                  {problems.map(problem => (
                    <li key={`${problem.line}:${problem.column} ${problem.message}`}>
                      <button type="button" class="link" onClick={() => goTo(problem)}>
                        {t('lineOf', { line: problem.line, column: problem.column })}
                      </button>{' '}
                      <code>{problem.code}</code> <ProblemText message={problem.message} />
                    </li>
                  ))}
                </ul>
              )}
            </div>
          </Card>
        </div>
        <TryIt body={body} document={document} isChanged={isChanged} />
      </div>
      {dialog === 'revisions' && (
        <Revisions
          id={id}
          close={() => show(undefined)}
          restore={restored => {
            view.current?.dispatch({ changes: { from: 0, to: view.current.state.doc.length, insert: restored } })
            show(undefined)
          }}
        />
      )}
      {dialog === 'assign' && <AssignNumber url={document.url} close={() => show(undefined)} />}
    </Page>
  )
}

/** Runs the text in the simulator, and beside it by a call to the phone in this page. */
function TryIt({
  body,
  document,
  isChanged,
}: {
  readonly body: string
  readonly document: HostedDocument
  readonly isChanged: boolean
}) {
  const [press, setPress] = useState('')
  const [answer, setAnswer] = useState<(typeof answers)[number]>('answer')
  const [course, setCourse] = useState<SimulatedCourse | undefined>(undefined)
  const run = () =>
    attempt(async () => {
      const keys = press.split(/[\s,]+/).filter(each => each !== '')
      setCourse(await must(api.POST('/documents/simulate', { body: { body, press: keys, answer } })))
    })
  const callMe = () =>
    attempt(async () => {
      const [number] = await must(api.GET('/numbers/', {}))
      if (number === undefined) throw new Error(t('needsNumber'))
      const uuid = await callPhone(number.number, document.url)
      if (uuid !== undefined) go('calls', uuid)
    })
  return (
    <Card title={t('tryIt')}>
      <div class="row">
        <Field label={t('keysPressed')} hint={t('keysHint')}>
          {field => (
            <input {...field} value={press} inputMode="tel" onInput={event => setPress(event.currentTarget.value)} />
          )}
        </Field>
        <Field label={t('calleesDo')}>
          {field => (
            <Select
              {...field}
              value={answer}
              options={answers.map(each => [each, word('callee', each)] as const)}
              change={value => setAnswer(answers.find(each => each === value) ?? 'answer')}
            />
          )}
        </Field>
      </div>
      <div class="actions">
        <Button kind="main" glyph="play" onClick={run}>
          {t('simulate')}
        </Button>
        <Button glyph="calls" disabled={isChanged} title={isChanged ? t('saveFirst') : undefined} onClick={callMe}>
          {t('callMe')}
        </Button>
      </div>
      {course !== undefined && (
        <div class="course" role="status">
          <ol>
            {course.steps.map((step, place) => (
              <li key={place}>
                <span class="figure">{(step.at_ms / 1000).toFixed(1)} s</span> <SentenceText of={step.text} />
              </li>
            ))}
          </ol>
          <p>
            <Badge tone={course.end.status === 'completed' ? 'good' : 'bad'}>{course.end.reason_code}</Badge>{' '}
            {word('end', course.end.reason_code)} · {course.end.duration_seconds} s · {money(course.end.cost)}
          </p>
        </div>
      )}
    </Card>
  )
}

function Revisions({
  id,
  close,
  restore,
}: {
  readonly id: string
  readonly close: () => void
  readonly restore: (body: string) => void
}) {
  const { data, error, reload } = useLoad(`revisions ${id}`, () =>
    must(api.GET('/documents/{uuid}/revisions', { params: { path: { uuid: id } } })),
  )
  const [chosen, choose] = useState(1)
  const host = useRef<HTMLDivElement>(null)
  const before = data?.[chosen]
  const now = data?.[0]
  useEffect(() => {
    if (before === undefined || now === undefined || host.current === null) return
    const place = host.current
    let close: (() => void) | undefined
    let isOver = false
    import('./editor.ts').then(({ openDiff }) => {
      // Another revision was chosen meanwhile.
      if (isOver) return
      const diff = openDiff(place, before.body, now.body, [dateTime(before.created_at), t('now')])
      close = () => diff.destroy()
    })
    return () => {
      isOver = true
      close?.()
    }
  }, [before?.id, now?.id])
  return (
    <Dialog title={t('revisions')} close={close} wide>
      <Trouble error={error} retry={reload} />
      {data !== undefined && data.length < 2 && <p class="soft">{t('noRevisions')}</p>}
      {data !== undefined && data.length > 1 && (
        <>
          <Field label={t('compareWith')}>
            {field => (
              <Select
                {...field}
                value={String(chosen)}
                options={data
                  .slice(1)
                  .map((each, place) => [String(place + 1), `${dateTime(each.created_at)} · ${each.name}`] as const)}
                change={value => choose(Number(value))}
              />
            )}
          </Field>
          <div class="diff" ref={host} />
          <div class="actions end">
            <Button kind="main" onClick={() => before !== undefined && restore(before.body)}>
              {t('restore')}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  )
}
