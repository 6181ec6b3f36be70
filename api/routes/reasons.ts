import { Type } from '@sinclair/typebox'
import { endReasons, explanations, problemExplanations, reasonsPath } from '../../core/index.ts'
import { StaticFile } from '../answer/static-file.ts'
import type { Api } from '../base/fastify.ts'
import { sw } from '../portal/app/texts/sw.ts'
import { swReasons } from '../portal/app/texts/sw-reasons.ts'
import { type Language, languageOf, languages } from '../request/language.ts'

/** The page uses the explorer's style sheet and nothing else: no script, nothing from elsewhere. */
const policy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, mark => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[mark] ?? '&quot;')

/** What stands between backticks is a name or a value. */
const marked = (text: string): string => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>')

type Code = keyof typeof endReasons
type ProblemCode = keyof typeof problemExplanations

const endCodes = Object.keys(endReasons) as Code[]
const problemCodes = Object.keys(problemExplanations) as ProblemCode[]

/** A reason or problem, and what else it may mean. */
interface Section {
  readonly label: string
  readonly sayings: readonly { readonly why: string; readonly advice: string }[]
}

interface PageTexts {
  /** The language's own name. */
  readonly name: string
  readonly title: string
  readonly toDo: string
  /** Above the problems of calls that went on. */
  readonly problems: string
  readonly section: (code: Code | ProblemCode) => Section
}

function english(code: Code | ProblemCode): Section {
  const found = { ...explanations, ...problemExplanations }[code]
  const label = 'label' in found ? String(found.label) : endReasons[code as Code].label
  return { label, sayings: [found, ...(found.cases ?? [])].map(({ why, advice }) => ({ why: why({}), advice })) }
}

function swahili(code: Code | ProblemCode): Section {
  const { why, advice, cases = [] } = swReasons[code]
  const others = cases.map(([, own, ownAdvice = advice]) => ({ why: own, advice: ownAdvice }))
  return { label: sw[`end.${code}`], sayings: [{ why, advice }, ...others] }
}

const texts: Readonly<Record<Language, PageTexts>> = {
  en: {
    name: 'English',
    title: 'Why calls end',
    toDo: 'What to do.',
    problems: 'What goes wrong in a call that goes on',
    section: english,
  },
  sw: {
    name: 'Kiswahili',
    title: 'Kwa nini simu huisha',
    toDo: 'La kufanya.',
    problems: 'Kinachoharibika katika simu inayoendelea',
    section: swahili,
  },
}

function pageIn(language: Language): StaticFile {
  const { title, toDo, problems, section } = texts[language]
  const sectionOf = (code: Code | ProblemCode): string => {
    const { label, sayings } = section(code)
    const said = sayings.map(({ why, advice }) => {
      const help = advice === '' ? '' : `<p><strong>${toDo}</strong> ${marked(advice)}</p>`
      return `<p>${marked(why)}</p>${help}`
    })
    return `<section id="${code}"><h2>${code} ${escaped(label)}</h2>${[...new Set(said)].join('')}</section>`
  }
  const ends = endCodes.map(sectionOf).join('\n')
  const goingOn = `<h2>${problems}</h2>${problemCodes.map(sectionOf).join('\n')}`
  const others = languages
    .filter(other => other !== language)
    .map(other => `<a href="${reasonsPath}?lang=${other}" lang="${other}" hreflang="${other}">${texts[other].name}</a>`)
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><link rel="stylesheet" href="/docs/explorer.css">`
  const main = `<main><h1>${title}</h1><p>${others.join(' ')}</p>${ends}${goingOn}</main>`
  const page = `<!doctype html><html lang="${language}"><head>${head}</head><body>${main}</body></html>`
  return new StaticFile(Buffer.from(page), {}, { variesBy: 'accept-language' })
}

/** Where the sentence at the end of a trace links to: every reason, why it comes about, and what to do. */
export function reasonRoutes(app: Api): void {
  const pages: Readonly<Record<Language, StaticFile>> = { en: pageIn('en'), sw: pageIn('sw') }
  app.get(reasonsPath, {
    config: { access: 'open' },
    // The portal's links name the language that is chosen there.
    schema: { hide: true, querystring: Type.Object({ lang: Type.Optional(Type.String()) }) },
    handler: async (request, reply) => {
      const language = languageOf(request.query.lang, request)
      reply.type('text/html; charset=utf-8').headers({
        'content-language': language,
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      })
      return pages[language].send(request, reply)
    },
  })
}
