import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

// The phone's page and what the SDK says in it have their Kiswahili: every text of the page, of its scripts and of the
// SDK's sentences, and none besides.

const root = new URL('../../', import.meta.url)
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8')
const { kiswahili } = (await import(new URL('api/phone/kiswahili.js', root).href)) as {
  readonly kiswahili: Readonly<Record<string, string>>
}

/** Names, what is to be typed, and what stands for a value. */
const sameInAll = /^(Sauti|POST \/\S+|eyJhbGciOi…|Enter|Esc|[^A-Za-z]*)$/

/** What stands between the tags of the page and in the attributes that people read. */
function ofPage(): readonly string[] {
  const html = read('api/phone/index.html').replace(/<noscript>.*?<\/noscript>/gs, '')
  const between = [...html.matchAll(/>([^<]+)</g)].map(([, text = '']) => text.trim())
  const attributes = [...html.matchAll(/(?:aria-label|title|placeholder)="([^"]+)"/g)].map(([, text = '']) => text)
  return [...between, ...attributes].filter(text => !sameInAll.test(text))
}

const scripts = readdirSync(new URL('api/phone/', root)).filter(
  name => name.endsWith('.js') && name !== 'kiswahili.js' && name !== 'texts.js',
)

/** Literals that scripts of the page show: by their capital, or as an argument of `t`. */
function ofScripts(): readonly string[] {
  const shown = scripts.flatMap(name => {
    const lines = read(`api/phone/${name}`)
      .split('\n')
      .filter(line => !/^\s*(\/\/|\/?\*)|^import |reason\.cause/.test(line))
    const code = lines.join('\n').replace(/letters = \{.*\}/, '')
    const named = [...code.matchAll(/\bt\('([^']+)'/g)].map(([, text = '']) => text)
    const capital = [...code.matchAll(/'([A-Z][^'\n]*)'|`([A-Z][^`\n]*)`/g)].map(
      ([, plain, made]) => plain ?? made ?? '',
    )
    return [...named, ...capital]
  })
  // Names of keys and of a codec, letters of a key.
  return shown.filter(text => !/^(Enter|Escape|Backspace|Opus|Sauti|[A-Z]+)$/.test(text))
}

/** What a developer's options are refused with; the page gives them itself. */
const forDevelopers = new Set(['options.ts', 'custom-payload.ts'])
const sentence = /'([A-Z{][^'\n]*[a-z)]\.)'|`((?:[A-Z]|\$\{)[^`\n]*\.)`/g

/** Sentences of the SDK that its errors and `describeFailure` have. */
function ofSdk(): readonly string[] {
  const files = readdirSync(new URL('sdk/', root), { recursive: true, encoding: 'utf8' }).filter(
    name => name.endsWith('.ts') && !/^(dist|node_modules)\//.test(name) && !forDevelopers.has(name),
  )
  return files.flatMap(name => {
    const code = read(`sdk/${name}`)
    if (!/new PhoneError\(/.test(code) && name !== 'failure.ts') return []
    const plain = code
      .split('\n')
      .filter(line => !/^\s*(\/\/|\/?\*)|^const tryAgain|\.log\(/.test(line))
      .join('\n')
      .replaceAll(`\${tryAgain}`, 'Please try again in a moment.')
    return [...plain.matchAll(sentence)].map(([, literal, made]) => literal ?? made ?? '')
  })
}

const form = (text: string): string => text.replace(/\$?\{[^}]*\}/g, '{}')
const sorted = (texts: readonly string[]) => [...new Set(texts.map(form))].sort()

test('every text of the phone’s page and of the SDK has its Kiswahili, and nothing else has', () => {
  // Words within a sentence: the two ends of holding a call.
  const within = ['put on hold', 'taken back']
  assert.equal(sorted(Object.keys(kiswahili)), sorted([...ofPage(), ...ofScripts(), ...ofSdk(), ...within]))
})

test('a Kiswahili text of the phone has the values of its English, and is another text', () => {
  const valuesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([value]) => value).sort()
  for (const [english, text] of Object.entries(kiswahili)) {
    assert.ok(text !== '' && text !== english, english)
    assert.equal(valuesOf(text), valuesOf(english), english)
  }
})

test.run()
