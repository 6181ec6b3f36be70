import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

export interface Member {
  /** As it is called or read: `originate(order)`, `data?`. */
  readonly name: string
  readonly about: string
}

/** What a module exports, as its source says it. */
export interface Declaration {
  readonly name: string
  readonly file: string
  readonly kind: string
  /** The comment above it, as one line; empty where there is none. */
  readonly about: string
  readonly members: readonly Member[]
}

/** Everything that a door exports, in the order of their names. */
export function exportsOf(door: string): Declaration[] {
  const source = read(door)
  const names = [...source.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)].flatMap(
    ([, list = '', from = '']) => namesIn(list).map(name => ({ name, file: normalize(join(dirname(door), from)) })),
  )
  return names.map(({ name, file }) => declarationOf(name, file)).sort((a, b) => (a.name < b.name ? -1 : 1))
}

const read = (file: string): string => readFileSync(join(root, file), 'utf8')

const namesIn = (list: string): string[] =>
  list
    .split(',')
    .map(each => each.trim().replace(/^type /, ''))
    .filter(each => each !== '')

const declared = (name: string) =>
  new RegExp(
    `((?:^/\\*\\*(?:(?!\\*/)[\\s\\S])*\\*/\\n)?)^export (?:abstract |async )?(class|interface|function\\*?|const|type) ${name}\\b`,
    'm',
  )

function declarationOf(name: string, file: string): Declaration {
  const source = read(file)
  const found = declared(name).exec(source)
  if (found !== null) {
    const [whole, comment = '', kind = ''] = found
    const body = source.slice(found.index + whole.length)
    return {
      name,
      file,
      kind: kind === 'function*' ? 'function' : kind,
      about: sentenceOf(comment),
      members: kind === 'class' || kind === 'interface' ? membersIn(body.slice(0, body.search(/^\}/m)), kind) : [],
    }
  }
  // It comes from elsewhere itself.
  for (const [, list = '', from = ''] of source.matchAll(/^(?:export|import) (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm))
    if (namesIn(list).includes(name)) return declarationOf(name, normalize(join(dirname(file), from)))
  throw new Error(`${file} does not say what ${name} is`)
}

/** The comment without its stars and its tags; an example in it stays out. */
const sentenceOf = (comment: string): string =>
  comment
    .replace(/^\s*\/\*\*|\*\/\s*$/g, '')
    .split('\n')
    .map(line => line.replace(/^\s*\* ?/, ''))
    .filter(line => !/^ {4}|^@/.test(line))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim()

/** Those with a comment that others can use: a getter is read, a method is called, what begins with `#` is the class's own. */
function membersIn(body: string, kind: string): Member[] {
  const member =
    /^ {2}\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2}((?:(?:readonly|static|async|override|get) |\*)*)(#?[a-zA-Z]\w*\??)(.*)$/gm
  return [...body.matchAll(member)]
    .filter(([, comment = '', , name = '']) => !comment.includes('@internal') && !name.startsWith('#'))
    .map(([, comment = '', modifiers = '', name = '', rest = '']) => {
      const isCalled = /^(<.*>)?\(/.test(rest) && !modifiers.includes('get ')
      return { name: isCalled ? `${name}()` : name, about: sentenceOf(comment) }
    })
    .filter(({ name }) => kind === 'interface' || name !== 'constructor()')
}
