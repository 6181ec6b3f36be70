/** Texts of what stands within a sentence. */
interface Inner {
  /** What is wrong in a document, why none came, or a cause of Q.850. Undefined: it has no text, as what an operating system says. */
  problem(message: string): string | undefined
  /** What an event reports. */
  event(code: string, name: string): string
}
/** A sentence in Kiswahili, and what stands within it that has no text and stays English. */
export interface SwSentence {
  readonly before: string
  readonly english: string
  readonly after: string
}
type Replacement = string | ((found: readonly string[], inner: Inner) => string | SwSentence)

/** A sentence whose end is what is wrong in a document, or why none came. */
function endingWith(before: string, message: string, { problem }: Inner): string | SwSentence {
  const own = problem(message)
  return own === undefined ? { before, english: message, after: '' } : before + own
}

/** What ended a leg, in the words of the recorder. */
const causes: Readonly<Record<string, string>> = {
  bye: 'BYE',
  cancel: 'CANCEL',
  timeout: 'hakuna jibu',
  'session expired': 'kipindi kiliisha',
  unreachable: 'haifikiki',
  'refused address': 'anwani isiyoruhusiwa',
  'auth failed': 'utambulisho haukukubaliwa',
}
const endedBy =
  (what: string): Replacement =>
  ([, cause = '', q850], inner) => {
    const before = `${what}: ${causes[cause] ?? cause}`
    return q850 === undefined ? before : endingWith(`${before}, `, q850, inner)
  }
const enders: Readonly<Record<string, string>> = {
  silence: 'ukimya',
  'max-length': 'urefu wa juu',
  stopped: 'kusimamishwa',
  closed: 'mwisho wa mguu',
  failed: 'hitilafu',
}
const directions: Readonly<Record<string, string>> = {
  inbound: 'ya kuingia',
  outbound: 'ya kutoka',
  internal: 'ya ndani',
}

/** The sentences of the recorder (`core/trace/timeline.ts`) and of the simulator (`core/testing/course.ts`) in Kiswahili. */
const swSentences: readonly (readonly [pattern: RegExp, replacement: Replacement])[] = [
  [/^the remote ended the leg: response (\d+)$/, 'upande wa pili ulimaliza mguu: jibu $1'],
  [/^the remote ended the leg: ([^,]+)(?:, (Q.*))?$/, endedBy('upande wa pili ulimaliza mguu')],
  [/^the leg has ended: response (\d+)$/, 'mguu umeisha: jibu $1'],
  [/^the leg has ended: ([^,]+)(?:, (Q.*))?$/, endedBy('mguu umeisha')],
  [/^we end the leg: (\S+) .*$/, 'tunamaliza mguu: $1'],
  [/^rings$/, 'inalia'],
  [/^answered$/, 'imejibiwa'],
  [
    /^(inbound|outbound|internal) call from (.*) to (.*)$/,
    ([, way = '', from = '', to = '']) => `simu ${directions[way]} kutoka ${from} kwenda ${to}`,
  ],
  [/^call from (.*) to (.*)$/, 'simu kutoka $1 kwenda $2'],
  [/^request to (.*)$/, 'ombi kwa $1'],
  [/^answer after (\S+) ms, (\d+) characters$/, 'jibu baada ya ms $1, herufi $2'],
  [
    /^failed after (\d+) ms: (.*)$/s,
    ([, ms, why = ''], inner) => endingWith(`imeshindwa baada ya ms ${ms}: `, why, inner),
  ],
  [/^(<\w+>) at line (\d+), column (\d+)$/, '$1 mstari wa $2, safu ya $3'],
  [/^says (".*")$/s, 'inasema $1'],
  [/^say (".*")$/s, 'sema $1'],
  [/^(say ".*") until it is stopped$/s, '$1 hadi isimamishwe'],
  [/^fetches (.*)$/, 'inaleta $1'],
  [/^audio of (\d+) ms is ready$/, 'sauti ya ms $1 iko tayari'],
  [/^plays (.*)$/, 'inacheza $1'],
  [/^play (.*) until it is stopped$/, 'cheza $1 hadi isimamishwe'],
  [/^play (.*)$/, 'cheza $1'],
  [/^tone (.*)$/, 'mlio $1'],
  [/^talk with (.*)$/, 'mazungumzo na $1'],
  [/^room (.*)$/, 'mkutano $1'],
  [/^digits (.*)$/, 'tarakimu $1'],
  [/^played to its end$/, 'ilichezwa hadi mwisho'],
  [/^stopped$/, 'ilisimamishwa'],
  [/^stopped: (.*)$/, 'ilisimamishwa: $1'],
  [/^digit (\S+) received by (\S+)$/, 'tarakimu $1 ilipokelewa kwa $2'],
  [/^digit (\S+)$/, 'tarakimu $1'],
  [/^sends digits (.*)$/, 'inatuma tarakimu $1'],
  [/^bridged with (.*)$/, 'imeunganishwa na $1'],
  [/^no longer bridged$/, 'haijaunganishwa tena'],
  [/^joins a conference$/, 'inaingia kwenye mkutano'],
  [/^leaves the conference$/, 'inatoka kwenye mkutano'],
  [/^new offer$/, 'pendekezo jipya'],
  [/^put on hold \((.*)\)$/, 'imesubirishwa ($1)'],
  [/^recording begins$|^recording starts$/, 'kurekodi kunaanza'],
  [
    /^recorded (\d+) ms, ended by (.*)$/,
    ([, ms = '', by = '']) => `ms ${ms} zimerekodiwa, zikaishia kwa ${enders[by] ?? by}`,
  ],
  [/^recording of (\S+) s$/, 'rekodi ya sekunde $1'],
  [/^capture of audio ends$/, 'kunasa sauti kumeisha'],
  [/^audio is captured for (\d+) s$/, 'sauti inanaswa kwa sekunde $1'],
  [/^no more audio is captured: .*$/, 'sauti hainaswi tena: nafasi ya simu moja imeisha'],
  [/^audio flows: (.*)$/, 'sauti inapita: $1'],
  [/^media failed: (.*)$/, 'sauti imeshindwa: $1'],
  [/^no RTP for the media timeout$/, 'hakuna RTP ndani ya muda uliowekwa'],
  [
    /^no RTP for the media timeout from (\S+), the only source by media_source(?:; (\S+) has sent there instead)?$/,
    ([, from = '', seen]) =>
      `hakuna RTP ndani ya muda uliowekwa kutoka ${from}, chanzo pekee kwa media_source${seen === undefined ? '' : `; ${seen} imetuma badala yake`}`,
  ],
  [/^(ICE|DTLS) failed$/, '$1 imeshindwa'],
  [/^hang-up asked for: (\S+) .*$/, 'imeombwa kukatwa: $1'],
  [
    /^(\S+) to (\S+): try (\d+): (\d+|failed)(?: after (\d+) ms)?(?:: (.*))?$/s,
    ([, event = '', url = '', turn = '', outcome = '', ms, why], inner) => {
      const before = `${event === 'callback' ? 'taarifa' : event} kwa ${url}: jaribio la ${turn}: `
      const after = ms === undefined ? '' : ` baada ya ms ${ms}`
      return why === undefined ? before + outcome + after : endingWith(`${before}limeshindwa${after}: `, why, inner)
    },
  ],
  [
    /^([A-Z]+\.\d+)(?: \S+ at line (\d+), column (\d+):| line (\d+):(\d+)) (.*)$/s,
    ([, code, line, column, orLine, orColumn, message = ''], inner) =>
      endingWith(`${code} mstari wa ${line ?? orLine}, safu ya ${column ?? orColumn}: `, message, inner),
  ],
  [/^([A-Z]+\.\d+: )(.*)$/s, ([, code = '', why = ''], inner) => endingWith(code, why, inner)],
  [/^([A-Z]+\.\d+) ([a-z-]+\.[a-z-]+)$/, ([, code = '', name = ''], { event }) => `${code} ${event(code, name)}`],
  [
    /^([A-Z]+\.\d+) (.*)$/s,
    ([, code = '', what = ''], inner) => endingWith(`${code} ${inner.event(code, '')}: `, what, inner),
  ],
  [/^a leg \((.*)\) calls(?: by trunk (.*))?$/, 'mguu ($1) unapiga'],
  [/^a leg \((.*)\) is dialled(?: by trunk (.*))?$/, 'mguu ($1) unapigiwa'],
  [/^(\S+) calls by trunk (.*)$/, '$1 anapiga kupitia trunki $2'],
  [/^(\S+) calls$/, '$1 anapiga'],
  [/^(\S+) is dialled by trunk (.*)$/, '$1 anapigiwa kupitia trunki $2'],
  [/^(\S+) is dialled$/, '$1 anapigiwa'],
  [/^dial (\S+), caller id (.*)$/, 'piga $1, namba ya mpigaji $2'],
  [/^(\S+) rings$/, '$1 inalia'],
  [/^(\S+) answers$/, '$1 anajibu'],
  [/^(\S+) ended: (\S+)$/, '$1 imeisha: $2'],
  [/^holds (\S+) KES at (\S+) KES\/min$/, 'KES $1 zinashikiliwa kwa KES $2 kwa dakika'],
  [/^holds (\S+) KES more$/, 'KES $1 zaidi zinashikiliwa'],
  [/^the balance does not cover it$/, 'salio halitoshi'],
  [/^the database failed$/, 'hifadhidata imeshindwa'],
  [
    /^settled: (\d+) s of talk, (\d+) s billed .*= (\S+) KES$/,
    'malipo: sekunde $1 za mazungumzo, $2 zimelipishwa = KES $3',
  ],
  [/^settled: (\S+) KES$/, 'malipo: KES $1'],
  [/^completed: (\S+) .*$/, 'imekamilika: $1'],
  [/^failed: (\S+) .*$/, 'imeshindwa: $1'],
  [/^document (.*)$/, 'hati $1'],
]

const withoutTexts: Inner = { problem: () => undefined, event: (_code, name) => name }

/** In Kiswahili; what no pattern knows, as a line of SIP, stays as it is. */
export function swSentence(said: string, inner = withoutTexts): SwSentence {
  for (const [pattern, replacement] of swSentences) {
    const found = pattern.exec(said)
    if (found === null) continue
    const text = typeof replacement === 'string' ? said.replace(pattern, replacement) : replacement(found, inner)
    return typeof text === 'string' ? { before: text, english: '', after: '' } : text
  }
  return { before: '', english: said, after: '' }
}
