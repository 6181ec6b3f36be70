import type { EditorView } from '@codemirror/view'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { api, must } from '../api.ts'
import type { DocumentProblem } from '../api-types.ts'
import { dateTime } from '../format.ts'
import { useLoad } from '../load.ts'
import { go, href, place } from '../router.ts'
import { isWithControl, saveShortcut } from '../shortcuts.ts'
import { switchTexts } from '../switch-texts/index.ts'
import { t } from '../texts/index.ts'
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
import { AssignNumber } from './assign-number.tsx'
import { usersOf } from './document-users.ts'
import { DocumentUsersText } from './document-users-text.tsx'
import { TryDocument } from './try-document.tsx'

/** What was typed and not saved, of each document: another page may be looked at in between. */
const drafts = new Map<string, { readonly name: string; readonly body: string }>()

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
  // The editor does not wait for them.
  const routes = useLoad(`routes of ${id}`, async () => {
    const [numbers, { endpoints }] = await Promise.all([
      must(api.GET('/numbers/', {})),
      must(api.GET('/account/webhooks', {})),
    ])
    return { numbers, endpoints }
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
  const saving = useRef<(() => Promise<unknown>) | undefined>(undefined)
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!isWithControl(event, 's')) return
      // Else the browser would save the page as a file.
      event.preventDefault()
      saving.current?.()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
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
  const back = { href: href('documents'), text: t('documents') }
  if (data === undefined)
    return error === undefined ? (
      <Waiting />
    ) : (
      <Page back={back} title={t('document')}>
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
  saving.current = isChanged ? save : undefined
  const users = routes.data && usersOf(document.url, routes.data.numbers, routes.data.endpoints)
  const isUsed = users !== undefined && users.numbers.length + users.purposes.length > 0
  const question = `${t('deleteSure', { name: document.name })}${isUsed ? ` ${t('deleteUsed')}` : ''}`
  const remove = async () => {
    await must(api.DELETE('/documents/{uuid}', { params: { path: { uuid: id } } }))
    drafts.delete(id)
    go('documents')
  }
  return (
    <Page
      back={back}
      title={document.name}
      lead={
        <span class="facts">
          <span class="with-copy">
            <code class="cut">{document.url}</code>
            <Copy text={document.url} label={t('url')} />
          </span>
          <span>
            {t('usedBy')}: {users === undefined ? '…' : <DocumentUsersText of={users} />}
          </span>
        </span>
      }
      actions={
        <>
          <Button onClick={() => show('revisions')}>{t('revisions')}</Button>
          <Button onClick={() => show('assign')}>{t('giveToNumber')}</Button>
          <Sure kind="plain" label={t('delete')} question={question} act={remove} />
          <Button kind="main" disabled={!isChanged} {...saveShortcut} onClick={save}>
            {t('save')}
          </Button>
        </>
      }
    >
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
        <TryDocument body={body} document={document} isChanged={isChanged} />
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
      {dialog === 'assign' && (
        <AssignNumber
          url={document.url}
          close={() => {
            show(undefined)
            routes.reload()
          }}
        />
      )}
    </Page>
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
