import { kiswahili } from './kiswahili.js'

// The page and the SDK are written in English; a text is found by its English.

const stored = () => {
  const chosen = localStorage.getItem('language')
  if (chosen === 'en' || chosen === 'sw') return chosen
  return navigator.language.startsWith('sw') ? 'sw' : 'en'
}

/** The portal's choice, else the browser's. */
let language = stored()

const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole))
const found = text => (language === 'sw' && Object.hasOwn(kiswahili, text) ? kiswahili[text] : undefined)

/** A text of the page. */
export const t = (text, values = {}) => filled(found(text) ?? text, values)

const escaped = text => text.replace(/[.*+?^$()|[\]\\]/g, '\\$&')
/** Sentences with values in them, as the SDK writes them. */
const patterns = Object.entries(kiswahili)
  .filter(([text]) => text.includes('{'))
  .map(([text, own]) => [new RegExp(`^${escaped(text).replace(/\{(\w+)\}/g, '(?<$1>.*)')}$`, 's'), own])

/** Writes what the SDK says into an element; English that has no text in the language of the page is marked (WCAG 3.1.2). */
export function say(element, text) {
  const own = language === 'sw' ? ownOf(text) : text
  element.textContent = own ?? text
  if (own === undefined) element.lang = 'en'
  else element.removeAttribute('lang')
}

function ownOf(text) {
  if (text === '' || Object.hasOwn(kiswahili, text)) return kiswahili[text] ?? text
  for (const [pattern, own] of patterns) {
    const values = pattern.exec(text)?.groups
    if (values !== undefined)
      return filled(own, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, t(value)])))
  }
  return undefined
}

const attributes = ['aria-label', 'title', 'placeholder']
/** What stands in the page itself, with its English: how to write it in another language. */
const written = []

function collect(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const it = node
    if (it instanceof HTMLTemplateElement) collect(it.content)
    const places =
      it instanceof Element
        ? attributes.map(name => [it.getAttribute(name) ?? '', own => it.setAttribute(name, own)])
        : [
            [
              it.data,
              own => {
                it.data = own
              },
            ],
          ]
    for (const [whole, write] of places) {
      const text = whole.trim()
      if (Object.hasOwn(kiswahili, text)) written.push(() => write(whole.replace(text, t(text))))
    }
  }
}

/** The page in the chosen language, now and when the portal beside it changes the choice. */
export function writePage() {
  collect(document.documentElement)
  const write = () => {
    document.documentElement.lang = language
    for (const each of written) each()
  }
  write()
  addEventListener('storage', ({ key }) => {
    if (key !== 'language' || stored() === language) return
    language = stored()
    write()
  })
}
