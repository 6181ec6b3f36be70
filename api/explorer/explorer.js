// Reads /openapi.json and makes a page of it. No library, nothing from elsewhere; keys live in their fields only.
const methods = ['get', 'post', 'put', 'patch', 'delete']
const main = document.getElementById('main')
const nav = document.getElementById('nav')
const keys = { apiKey: document.getElementById('api-key'), operatorKey: document.getElementById('operator-key') }

/** An element with attributes and children; text is always text, never markup. */
function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value)
    else if (value === true) made.setAttribute(name, '')
    else if (value !== false && value !== undefined) made.setAttribute(name, value)
  }
  made.append(...children.filter(child => child !== undefined && child !== ''))
  return made
}

/** Only `code` in backticks is more than text. */
const prose = text => text.split('`').map((part, at) => (at % 2 === 1 ? el('code', {}, part) : part))

let api

function resolve(schema) {
  if (schema?.$ref === undefined) return schema ?? {}
  return resolve(api.components.schemas[schema.$ref.split('/').pop()])
}

function typeOf(schema) {
  const named = schema?.$ref?.split('/').pop()
  if (named !== undefined) return named
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.enum) return schema.enum.map(String).join(' | ')
  if (schema.type === 'array') return `array of ${typeOf(schema.items)}`
  const type = [schema.type ?? 'anything'].flat().join(' or ')
  const range = [schema.minimum ?? '', schema.maximum ?? '']
  return range.join('') === '' ? type : `${type}, ${range[0]} to ${range[1]}`
}

/** What a value of a schema looks like. */
function example(schema, depth = 0) {
  const named = resolve(schema)
  if (named.examples?.length) return named.examples[0]
  if (named.default !== undefined) return named.default
  if (named.anyOf) return example(named.anyOf[0], depth)
  if (named.enum) return named.enum[0]
  const type = [named.type].flat()[0]
  if (type === 'object') {
    if (depth > 4) return {}
    return Object.fromEntries(
      Object.entries(named.properties ?? {}).map(([name, of]) => [name, example(of, depth + 1)]),
    )
  }
  if (type === 'array') return depth > 4 ? [] : [example(named.items, depth + 1)]
  if (type === 'integer' || type === 'number') return named.minimum ?? 0
  if (type === 'boolean') return true
  return type === 'string' ? '' : null
}

/** A body to begin with: what is required, and no more. */
function firstBody(schema) {
  const named = resolve(schema)
  if (named.type !== 'object') return example(named)
  const needed = named.required ?? []
  const shown = needed.length > 0 ? needed : Object.keys(named.properties ?? {}).slice(0, 1)
  return Object.fromEntries(shown.map(name => [name, example(named.properties[name])]))
}

const idOf = (method, path) => `${method}-${path.replace(/[^a-z0-9]+/gi, '-').replace(/^-|-$/g, '')}`

function pathOf(path) {
  const parts = path.split(/(\{[^}]+\})/).filter(part => part !== '')
  return el('span', { class: 'path' }, ...parts.map(part => (part.startsWith('{') ? el('b', {}, part) : part)))
}

function fieldsOf(rows) {
  const table = el('table', { class: 'fields' })
  for (const { name, needed, schema, description } of rows) {
    table.append(
      el(
        'tr',
        {},
        el(
          'td',
          {},
          name,
          needed ? el('span', { class: 'needed', title: 'required' }, ' *') : '',
          el('span', { class: 'type' }, typeOf(schema)),
        ),
        el('td', {}, ...prose(description ?? schema.description ?? '')),
      ),
    )
  }
  return table
}

function describe(operation) {
  const side = el('div')
  if (operation.description) side.append(el('p', {}, ...prose(operation.description)))
  const parameters = operation.parameters ?? []
  for (const [place, title] of [
    ['path', 'In the path'],
    ['query', 'In the query'],
    ['header', 'Headers'],
  ]) {
    const rows = parameters.filter(parameter => parameter.in === place)
    if (rows.length === 0) continue
    side.append(el('h3', {}, title), fieldsOf(rows.map(row => ({ ...row, needed: row.required }))))
  }
  const content = operation.requestBody?.content
  if (content?.['application/json']) {
    const schema = resolve(content['application/json'].schema)
    const rows = Object.entries(schema.properties ?? {}).map(([name, field]) => ({
      name,
      schema: field,
      needed: (schema.required ?? []).includes(name),
    }))
    side.append(el('h3', {}, 'Body'), fieldsOf(rows))
  } else if (content) {
    side.append(el('h3', {}, 'Body'), el('p', {}, Object.keys(content).join(', ')))
  }
  const answers = el('ul', { class: 'answers' })
  for (const [status, answer] of Object.entries(operation.responses)) {
    answers.append(
      el(
        'li',
        {},
        el('b', { class: status.startsWith('2') ? 'good' : '' }, status),
        el('span', {}, ...prose(answer.description ?? '')),
      ),
    )
    const schema = answer.content?.['application/json']?.schema
    if (schema === undefined || !status.startsWith('2')) continue
    answers.append(
      el(
        'details',
        { class: 'shape' },
        el('summary', {}, typeOf(schema)),
        el('pre', {}, JSON.stringify(example(schema), null, 2)),
      ),
    )
  }
  side.append(el('h3', {}, 'Answers'), answers)
  return side
}

function trial(method, path, operation) {
  const form = el('form', { autocomplete: 'off' })
  const parameters = operation.parameters ?? []
  const content = operation.requestBody?.content
  form.append(el('h3', {}, 'Try it'))
  for (const parameter of parameters) {
    const id = `${idOf(method, path)}-${parameter.name}`
    const options = parameter.schema.enum
    const field = options
      ? el(
          'select',
          { id, name: parameter.name },
          el('option', { value: '' }, '—'),
          ...options.map(value => el('option', {}, value)),
        )
      : el('input', {
          id,
          name: parameter.name,
          placeholder: parameter.schema.default ?? '',
          required: parameter.required,
        })
    form.append(el('div', { class: 'row' }, el('label', { for: id }, parameter.name), field))
  }
  if (content?.['application/json']) {
    const schema = content['application/json'].schema
    form.append(
      el(
        'textarea',
        { name: 'json-body', spellcheck: 'false', 'aria-label': 'JSON body' },
        JSON.stringify(firstBody(schema), null, 2),
      ),
    )
  } else if (content) {
    form.append(
      el(
        'div',
        { class: 'row' },
        el('label', { for: `${idOf(method, path)}-file` }, 'file'),
        el('input', { id: `${idOf(method, path)}-file`, type: 'file', name: 'file-body' }),
      ),
    )
  }
  const send = el('button', { type: 'submit' }, 'Send')
  const copy = el(
    'button',
    {
      type: 'button',
      class: 'plain',
      onclick: () => navigator.clipboard?.writeText(curlOf(requestOf(form, method, path, operation), operation)),
    },
    'Copy as curl',
  )
  const result = el('div', { class: 'result', 'aria-live': 'polite' })
  form.append(el('div', { class: 'send' }, send, copy), result)
  form.addEventListener('submit', async event => {
    event.preventDefault()
    send.disabled = true
    await perform(requestOf(form, method, path, operation), result)
    send.disabled = false
  })
  return form
}

function requestOf(form, method, path, operation) {
  const query = new URLSearchParams()
  const headers = {}
  let url = path
  for (const parameter of operation.parameters ?? []) {
    const { value } = form.elements.namedItem(parameter.name)
    if (parameter.in === 'path') url = url.replace(`{${parameter.name}}`, encodeURIComponent(value))
    else if (value === '') continue
    else if (parameter.in === 'query') query.set(parameter.name, value)
    else headers[parameter.name] = value
  }
  const scheme = Object.keys(operation.security?.[0] ?? {})[0]
  const key = keys[scheme]?.value.trim()
  if (key) headers.authorization = `Bearer ${key}`
  const json = form.elements.namedItem('json-body')?.value
  const file = form.elements.namedItem('file-body')?.files?.[0]
  if (json !== undefined) headers['content-type'] = 'application/json'
  return { method: method.toUpperCase(), url: url + (query.size > 0 ? `?${query}` : ''), headers, body: json ?? file }
}

async function perform({ method, url, headers, body }, into) {
  const started = performance.now()
  try {
    const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) })
    const type = answer.headers.get('content-type') ?? ''
    const shown = type.startsWith('audio/')
      ? `${(await answer.blob()).size} bytes of ${type}`
      : pretty(await answer.text(), type)
    const seen = [...answer.headers].filter(([name]) =>
      ['retry-after', 'www-authenticate', 'allow', 'content-type'].includes(name),
    )
    into.replaceChildren(
      el(
        'div',
        { class: 'status' },
        el('b', { class: answer.ok ? 'good' : '' }, `${answer.status} ${answer.statusText}`),
        el('span', { class: 'quiet' }, `${Math.round(performance.now() - started)} ms`),
      ),
      el('h4', {}, seen.map(([name, value]) => `${name}: ${value}`).join(' · ')),
      el('pre', {}, shown),
    )
  } catch (fault) {
    into.replaceChildren(
      el('div', { class: 'status' }, el('b', {}, 'No answer'), el('span', { class: 'quiet' }, String(fault))),
    )
  }
}

function pretty(text, type) {
  if (!type.startsWith('application/json')) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** The key stays out of what is copied. */
function curlOf({ method, url, headers, body }, operation) {
  const variable =
    Object.keys(operation.security?.[0] ?? {})[0] === 'operatorKey' ? 'SAUTI_OPERATOR_KEY' : 'SAUTI_API_KEY'
  const quote = text => `'${text.replaceAll("'", "'\\''")}'`
  const parts = [`curl -X ${method} ${quote(location.origin + url)}`]
  for (const [name, value] of Object.entries(headers)) {
    parts.push(
      name === 'authorization' ? `-H "Authorization: Bearer $${variable}"` : `-H ${quote(`${name}: ${value}`)}`,
    )
  }
  if (typeof body === 'string') parts.push(`-d ${quote(body)}`)
  else if (body !== undefined) parts.push(`--data-binary ${quote(`@${body.name}`)}`)
  return parts.join(' \\\n  ')
}

function card(method, path, operation) {
  const head = el(
    'summary',
    {},
    el('span', { class: `method ${method}` }, method.toUpperCase()),
    pathOf(path),
    el('span', { class: 'summary' }, operation.summary ?? ''),
  )
  const made = el('details', { class: 'operation', id: idOf(method, path) }, head)
  made.dataset.text = `${method} ${path} ${operation.summary ?? ''}`.toLowerCase()
  // Built when it is first opened: the page stays light.
  made.addEventListener('toggle', () => {
    if (made.open && made.children.length === 1)
      made.append(el('div', { class: 'body' }, describe(operation), trial(method, path, operation)))
  })
  return made
}

function openFromAddress() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (!(target instanceof HTMLDetailsElement)) return
  target.open = true
  target.scrollIntoView()
}

function search(text) {
  const wanted = text.trim().toLowerCase().split(/\s+/)
  for (const item of document.querySelectorAll('[data-text]'))
    item.hidden = !wanted.every(word => item.dataset.text.includes(word))
  for (const group of document.querySelectorAll('section, .group'))
    group.hidden = group.querySelector('[data-text]:not([hidden])') === null
}

function draw() {
  const intro = el('div', { class: 'intro' }, el('h1', {}, `${api.info.title} API`))
  intro.append(
    el('p', {}, api.info.description),
    el(
      'p',
      { class: 'quiet' },
      'Base address ',
      el('code', {}, location.origin),
      '. The same as a file: ',
      el('a', { href: '/openapi.json' }, 'openapi.json'),
      '. Put a key in the bar above to send requests from here.',
    ),
  )
  main.replaceChildren(intro)
  nav.replaceChildren()
  document.getElementById('version').textContent = api.info.version
  for (const { name, description } of api.tags) {
    const found = Object.entries(api.paths).flatMap(([path, item]) =>
      methods.filter(method => item[method]?.tags?.includes(name)).map(method => [method, path, item[method]]),
    )
    if (found.length === 0) continue
    main.append(
      el(
        'section',
        { id: `tag-${name}` },
        el('h2', {}, name),
        el('p', {}, ...prose(description)),
        ...found.map(([method, path, operation]) => card(method, path, operation)),
      ),
    )
    const links = found.map(([method, path, operation]) => {
      const link = el(
        'a',
        { href: `#${idOf(method, path)}`, title: path },
        el('span', { class: `method ${method}` }, method === 'delete' ? 'DEL' : method.toUpperCase()),
        el('span', {}, operation.summary ?? path),
      )
      link.dataset.text = `${method} ${path} ${operation.summary ?? ''}`.toLowerCase()
      return link
    })
    nav.append(el('div', { class: 'group' }, el('h2', {}, name), ...links))
  }
  openFromAddress()
}

// A key lives in its field alone: what is in the storage of this origin, every script of the origin can read.
for (const name of ['apiKey', 'operatorKey']) sessionStorage.removeItem(name)
document.getElementById('search').addEventListener('input', event => search(event.target.value))
addEventListener('hashchange', openFromAddress)
addEventListener('keydown', event => {
  if (event.key !== '/' || /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '')) return
  event.preventDefault()
  document.getElementById('search').focus()
})

try {
  const answer = await fetch('/openapi.json')
  if (!answer.ok) throw new Error(`/openapi.json answered ${answer.status}`)
  api = await answer.json()
  draw()
} catch (fault) {
  main.replaceChildren(el('p', { class: 'quiet' }, `The description cannot be read: ${fault}`))
}
