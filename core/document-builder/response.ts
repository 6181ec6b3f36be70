import { checkDocument, parseDocument } from '../verbs/index.ts'
import type { Duration } from './duration.ts'
import { DocumentError } from './errors.ts'
import { escapeText, formatElement } from './markup.ts'
import type {
  ConferenceTarget,
  DialOrder,
  DialTarget,
  GatherOptions,
  HangupOptions,
  PlayOptions,
  PlaySource,
  RecordOptions,
  RecordSessionOptions,
  RejectOptions,
  SayOptions,
  Ssml,
} from './options.ts'

const encoder = new TextEncoder()

/** What may be in a `<Gather>`: Say, Play and Pause, in order. */
export class Prompt {
  protected readonly elements: string[] = []

  /** Speaks text, at most 4,096 characters; `{ ssml }` for text with markup. */
  say(text: string | Ssml, options: SayOptions = {}): this {
    const inside = typeof text === 'string' ? escapeText(text) : text.ssml
    return this.add(formatElement('Say', options, inside))
  }

  /** Plays the file of a URL, or `{ asset }`, or only `{ digits }`. */
  play(source: string | PlaySource, options: PlayOptions = {}): this {
    const all: PlaySource = typeof source === 'string' ? { url: source, ...options } : { ...source, ...options }
    return this.add(formatElement('Play', all, escapeText(all.url ?? '')))
  }

  /** Waits in silence, 0 to 600 s. Default 1 s. */
  pause(length?: Duration): this {
    return this.add(formatElement('Pause', { length }))
  }

  protected add(element: string): this {
    this.elements.push(element)
    return this
  }

  /** The elements as they are in a document. */
  markup(): string {
    return this.elements.join('')
  }
}

/**
 * A verb document, verb by verb. Each method checks its verb by the same rules as the switch and throws a
 * `DocumentError` that names what is wrong. Values may hold the placeholders of hosted documents (`{{To}}`).
 *
 *     response().say('Karibu').dial({ number: '+254711000001', timeout: '20s' }).toString()
 */
export class VerbDocument extends Prompt {
  #last: string | undefined

  /** Connects the caller with a number, an end-user, a SIP address, a conference, or several (`to`). */
  dial(order: DialOrder): this {
    return this.add(formatElement('Dial', order, dialled(order)))
  }

  /** Records the caller. */
  record(options: RecordOptions = {}): this {
    return this.add(formatElement('Record', options))
  }

  /** Starts, pauses, resumes or stops the recording of the whole call beside the document. */
  recordSession(options: RecordSessionOptions = {}): this {
    return this.add(formatElement('RecordSession', options))
  }

  /** Waits for digits; `prompt` is played until the first one. */
  gather(options: GatherOptions, prompt: (prompt: Prompt) => Prompt = empty => empty): this {
    return this.add(formatElement('Gather', options, prompt(new Prompt()).markup()))
  }

  /** Goes on with the document of another URL, absolute or relative to this one. */
  redirect(url: string): this {
    return this.add(formatElement('Redirect', {}, escapeText(url)))
  }

  /** Ends the call. */
  hangup(options: HangupOptions = {}): this {
    return this.add(formatElement('Hangup', options))
  }

  /** Refuses a call that was not answered, without charge. */
  reject(options: RejectOptions = {}): this {
    return this.add(formatElement('Reject', options))
  }

  /** The XML, UTF-8, to be sent with `Content-Type: application/xml`. Throws when it is over 64 KB. */
  override toString(): string {
    const text = `<?xml version="1.0" encoding="UTF-8"?>\n<Response>${this.markup()}</Response>\n`
    const { valid, problems } = checkDocument(encoder.encode(text))
    if (!valid) throw new DocumentError(problems[0]?.message ?? 'the document cannot run', problems)
    return text
  }

  protected override add(element: string): this {
    if (this.#last !== undefined)
      throw new DocumentError(`no verb after <${this.#last}> ever runs; it must be the last`)
    const bytes = encoder.encode(`<Response>${element}</Response>`)
    const { problems } = checkDocument(bytes)
    const first = problems[0]
    if (first !== undefined) throw new DocumentError(first.message, problems)
    const parsed = parseDocument(bytes)
    if (parsed.ok && parsed.verbs.length > 1)
      throw new DocumentError('the SSML ends its <Say>: write only what is inside')
    const verb = parsed.ok ? parsed.verbs[0] : undefined
    if (verb?.isLast === true) this.#last = verb.name
    return super.add(element)
  }
}

/** A new, empty document. Sent as it is, it refuses an unanswered call (603) and ends an answered one. */
export const response = (): VerbDocument => new VerbDocument()

function dialled(order: DialOrder): string {
  if ('to' in order) return order.to.map(formatTarget).join('')
  return 'conference' in order ? formatConference(order) : formatTarget(order)
}

const formatConference = (room: ConferenceTarget): string =>
  formatElement('Conference', room, escapeText(room.conference))

function formatTarget(target: DialTarget): string {
  if ('number' in target) return formatElement('Number', target, escapeText(target.number))
  if ('client' in target) return formatElement('Client', target, escapeText(target.client))
  return formatElement('Sip', target, escapeText(target.sip))
}
