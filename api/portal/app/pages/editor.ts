import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { type ElementSpec, xml } from '@codemirror/lang-xml'
import { HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, linter, lintGutter, lintKeymap } from '@codemirror/lint'
import { MergeView, unifiedMergeView } from '@codemirror/merge'
import { EditorState, type Extension } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { DocumentProblem, Vocabulary } from '../api-types.ts'
import { swEditor } from '../sw-editor.ts'
import { problemText, wordText } from '../switch-texts/index.ts'
import { language } from '../texts/index.ts'

// CodeMirror in a shadow root: there its styles are sheets of the document, which the policy of the page allows.

const colours = HighlightStyle.define([
  { tag: tags.tagName, color: 'var(--code-tag)', fontWeight: '600' },
  { tag: tags.attributeName, color: 'var(--code-name)' },
  { tag: [tags.attributeValue, tags.string], color: 'var(--code-value)' },
  { tag: [tags.comment, tags.processingInstruction], color: 'var(--soft)' },
  { tag: tags.angleBracket, color: 'var(--soft)' },
])

const look = EditorView.theme({
  '&': { fontSize: '14px', color: 'var(--ink)', backgroundColor: 'var(--card)', height: '100%' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '12px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--tint)', color: 'var(--soft)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'var(--line-now)' },
  '&.cm-focused': { outline: '2px solid var(--brand)', outlineOffset: '-2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--selection)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--card)',
    color: 'var(--ink)',
    border: '1px solid var(--line)',
    borderRadius: '8px',
    overflow: 'hidden',
  },
  // What it says of the chosen verb stands beside the list.
  '.cm-tooltip.cm-tooltip-autocomplete': { overflow: 'visible' },
  '.cm-tooltip-autocomplete > ul': { borderRadius: '7px' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--brand-fill)',
    color: 'var(--on-brand)',
  },
  '.cm-diagnostic': { padding: '6px 10px' },
  // By itself a white band, also in the dark, between signs that few fonts have.
  '.cm-collapsedLines': { background: 'var(--tint)', color: 'var(--soft)' },
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '"…"' },
})

/** What has no text in the language of the page is marked as the English that it is. */
function inEnglish(text: string): Node {
  const shown = document.createElement('span')
  shown.textContent = text
  if (language.value !== 'en') shown.lang = 'en'
  return shown
}

const infoOf = (name: string, summary: string) => wordText(name) ?? (() => inEnglish(summary))

function shownOf(message: string): Pick<Diagnostic, 'message' | 'renderMessage'> {
  const own = problemText(message)
  return own === undefined ? { message, renderMessage: () => inEnglish(message) } : { message: own }
}

const specsOf = ({ verbs }: Vocabulary): readonly ElementSpec[] => [
  {
    name: 'Response',
    top: true,
    children: verbs.filter(verb => verb.within.includes('Response')).map(verb => verb.name),
  },
  ...verbs.map(verb => ({
    name: verb.name,
    children: verbs.filter(other => other.within.includes(verb.name)).map(other => other.name),
    attributes: verb.attributes.map(attribute => ({
      name: attribute.name,
      completion: { info: infoOf(`${verb.name}.${attribute.name}`, attribute.summary) },
    })),
    completion: { info: infoOf(verb.name, verb.summary) },
  })),
]

/**
 * What is typed over a selection. The browser by itself would give the new text the look of the old one in a `style`
 * attribute, which the policy of the page refuses.
 */
const typedOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { main } = view.state.selection
    if (event.inputType !== 'insertText' || event.data === null || main.empty || view.composing) return false
    event.preventDefault()
    const text = event.data
    const insert = () =>
      view.state.update({ ...view.state.replaceSelection(text), scrollIntoView: true, userEvent: 'input.type' })
    const handlers = view.state.facet(EditorView.inputHandler)
    if (!handlers.some(handle => handle(view, main.from, main.to, text, insert))) view.dispatch(insert())
    return true
  },
})

const base = (): Extension => [
  lineNumbers(),
  syntaxHighlighting(colours),
  look,
  EditorView.lineWrapping,
  language.value === 'sw' ? EditorState.phrases.of(swEditor) : [],
]

interface EditorParts {
  readonly host: HTMLElement
  readonly text: string
  readonly label: string
  readonly vocabulary: Vocabulary
  readonly check: (text: string) => Promise<readonly DocumentProblem[]>
  readonly changed: (text: string) => void
}

const rootOf = (host: HTMLElement): ShadowRoot => host.shadowRoot ?? host.attachShadow({ mode: 'open' })

/** An editor for verb documents: completion by the vocabulary, problems by the server's own checker. */
export function openEditor({ host, text, label, vocabulary, check, changed }: EditorParts): EditorView {
  const problems = linter(
    async view => {
      const found = await check(view.state.doc.toString())
      return found.map((problem): Diagnostic => {
        const line = view.state.doc.line(Math.max(1, Math.min(problem.line, view.state.doc.lines)))
        const from = Math.min(line.from + Math.max(0, problem.column - 1), line.to)
        const word = /^<?\/?[\w.-]*/.exec(view.state.sliceDoc(from, line.to))?.[0].length ?? 0
        const to = Math.min(line.to, from + Math.max(1, word))
        return {
          from: from === to ? line.from : from,
          to,
          severity: problem.code === 'DOC.0400' ? 'error' : 'warning',
          ...shownOf(problem.message),
          source: problem.code,
        }
      })
    },
    { delay: 300 },
  )
  const root = rootOf(host)
  return new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        base(),
        history(),
        typedOver,
        highlightSpecialChars(),
        drawSelection(),
        indentOnInput(),
        closeBrackets(),
        highlightActiveLine(),
        xml({ elements: specsOf(vocabulary), autoCloseTags: true }),
        autocompletion(),
        problems,
        lintGutter(),
        // Tab leaves the editor, as it leaves any field (WCAG 2.1.2). Control and a bracket indent.
        keymap.of([...completionKeymap, ...lintKeymap, ...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of(update => {
          if (update.docChanged) changed(update.state.doc.toString())
        }),
      ],
    }),
  })
}

/** Less than this, in pixels, gives each of two texts too few letters in a line. */
const besideFrom = 640

/** Two texts, what differs marked: beside each other where there is room, else in one, what was there above what is there. */
export function openDiff(
  host: HTMLElement,
  before: string,
  after: string,
  labels: readonly [string, string],
): { destroy(): void } {
  const root = rootOf(host)
  const side = (doc: string, label: string) => ({
    doc,
    extensions: [
      base(),
      xml(),
      EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({ 'aria-label': label }),
    ],
  })
  const shared = { root, parent: root }
  const collapseUnchanged = {}
  if (host.clientWidth >= besideFrom)
    return new MergeView({ ...shared, a: side(before, labels[0]), b: side(after, labels[1]), collapseUnchanged })
  const { doc, extensions } = side(after, `${labels[0]} → ${labels[1]}`)
  const merged = unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged })
  return new EditorView({ ...shared, doc, extensions: [extensions, merged] })
}
