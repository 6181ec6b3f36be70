import { randomBytes, randomUUID } from 'node:crypto'
import type { HostedDocumentRecord } from '../../model/hosted-document.ts'
import type { AccountUuid } from '../../model/ids.ts'
import type { Database } from './database.ts'
import { type Page, type PageRange, pageOf } from './page.ts'
import type { QuotaBook } from './quota-book.ts'
import type { Row } from './schema.ts'

/** Under the public address; what follows is a token that cannot be guessed. */
const hostedPath = '/hosted/'
const tokenBytes = 24

/** Older texts of a document are forgotten. */
const keptRevisions = 50

/** A text that is longer shares its transaction with no other: the disk takes megabytes of several for longer than calls may wait. */
const longText = 16 * 1024

/** A text that a document has had. */
export interface DocumentRevision {
  readonly id: number
  readonly name: string
  readonly body: string
  readonly createdUnix: number
}

interface DocumentText {
  readonly name: string
  readonly body: string
}

/** Whether a webhook URL is one of ours. `publicUrl` without a trailing slash. */
export const hostedUrls =
  (publicUrl: string) =>
  (url: string): boolean =>
    url.startsWith(publicUrl + hostedPath)

/** Verb documents that the service hosts. */
export class HostedDocuments {
  readonly #database: Database
  readonly #base: string
  readonly #quotas: QuotaBook
  readonly #byToken

  /** `publicUrl` without a trailing slash. */
  constructor(database: Database, publicUrl: string, quotas: QuotaBook) {
    this.#database = database
    this.#quotas = quotas
    this.#base = publicUrl + hostedPath
    this.#byToken = database.prepare<[string], Row<'documents'>>('SELECT * FROM documents WHERE token = ?')
  }

  /** Newest first. */
  list(
    account: AccountUuid,
    { search = '', ...range }: PageRange & { readonly search?: string },
  ): Promise<Page<HostedDocumentRecord>> {
    let of = this.#database.sql.selectFrom('documents').selectAll().where('account_uuid', '=', account)
    if (search !== '')
      of = of.where(({ eb, fn, ref }) =>
        eb(fn<number>('instr', [fn('lower', [ref('name')]), eb.val(search.toLowerCase())]), '>', 0),
      )
    return pageOf(of.orderBy('created_unix', 'desc').orderBy('uuid'), range, row => this.#recordOf(row))
  }

  async get(account: AccountUuid, uuid: string): Promise<HostedDocumentRecord | undefined> {
    const row = await this.#database.sql
      .selectFrom('documents')
      .selectAll()
      .where('account_uuid', '=', account)
      .where('uuid', '=', uuid)
      .executeTakeFirst()
    return row === undefined ? undefined : this.#recordOf(row)
  }

  async byToken(token: string): Promise<HostedDocumentRecord | undefined> {
    const row = this.#byToken.get(token)
    return row === undefined ? undefined : this.#recordOf(row)
  }

  /** Whether a webhook URL is one of ours, so that no HTTP is needed. */
  isHosted(url: string): boolean {
    return url.startsWith(this.#base)
  }

  /** The document of a webhook URL of ours; its query and fragment do not matter. */
  async byUrl(url: string): Promise<HostedDocumentRecord | undefined> {
    if (!this.isHosted(url)) return undefined
    const row = this.#byToken.get(url.slice(this.#base.length).split(/[?#]/, 1)[0]!.replace(/\/$/, ''))
    return row === undefined ? undefined : this.#recordOf(row)
  }

  async create(account: AccountUuid, text: DocumentText, unixMs: number): Promise<HostedDocumentRecord> {
    const row: Row<'documents'> = {
      uuid: randomUUID(),
      account_uuid: account,
      name: text.name,
      body: text.body,
      token: randomBytes(tokenBytes).toString('base64url'),
      created_unix: unixMs,
      updated_unix: unixMs,
    }
    await this.#write(text, () => {
      this.#quotas.take(account, 'documents', 1, unixMs)
      this.#database.run(this.#database.sql.insertInto('documents').values(row))
      this.#keep(row.uuid, text, unixMs)
    })
    return this.#recordOf(row)
  }

  /** Every text that the document has had, newest first; undefined when the account has no such document. */
  async revisions(account: AccountUuid, uuid: string): Promise<readonly DocumentRevision[] | undefined> {
    if ((await this.get(account, uuid)) === undefined) return undefined
    const rows = await this.#database.sql
      .selectFrom('document_revisions')
      .selectAll()
      .where('document_uuid', '=', uuid)
      .orderBy('id', 'desc')
      .execute()
    return rows.map(({ id, name, body, created_unix: createdUnix }) => ({ id, name, body, createdUnix }))
  }

  async change(
    account: AccountUuid,
    uuid: string,
    text: DocumentText,
    unixMs: number,
  ): Promise<HostedDocumentRecord | undefined> {
    await this.#write(text, () => {
      const changed = this.#database.run(
        this.#database.sql
          .updateTable('documents')
          .set({ name: text.name, body: text.body, updated_unix: unixMs })
          .where('account_uuid', '=', account)
          .where('uuid', '=', uuid),
      )
      if (changed > 0) this.#keep(uuid, text, unixMs)
    })
    return this.get(account, uuid)
  }

  remove(account: AccountUuid, uuid: string): Promise<boolean> {
    return this.#database.write(() => {
      const removed = this.#database.run(
        this.#database.sql.deleteFrom('documents').where('account_uuid', '=', account).where('uuid', '=', uuid),
      )
      if (removed === 0) return false
      this.#database.run(this.#database.sql.deleteFrom('document_revisions').where('document_uuid', '=', uuid))
      return true
    })
  }

  #write(text: DocumentText, work: () => void): Promise<void> {
    return text.body.length > longText ? this.#database.writeLong(work) : this.#database.write(work)
  }

  /** Inside a unit. A text that is as the last one was is no revision. */
  #keep(uuid: string, text: DocumentText, unixMs: number): void {
    const of = this.#database.sql
      .selectFrom('document_revisions')
      .where('document_uuid', '=', uuid)
      .orderBy('id', 'desc')
    const last = this.#database.get(of.select(['name', 'body']).limit(1))
    if (last?.body === text.body && last.name === text.name) return
    const row = { document_uuid: uuid, name: text.name, body: text.body, created_unix: unixMs }
    this.#database.run(this.#database.sql.insertInto('document_revisions').values(row))
    const oldest = this.#database.get(of.select('id').offset(keptRevisions).limit(1))
    if (oldest === undefined) return
    this.#database.run(
      this.#database.sql
        .deleteFrom('document_revisions')
        .where('document_uuid', '=', uuid)
        .where('id', '<=', oldest.id),
    )
  }

  #recordOf(row: Row<'documents'>): HostedDocumentRecord {
    return {
      uuid: row.uuid,
      accountUuid: row.account_uuid,
      name: row.name,
      url: this.#base + row.token,
      body: row.body,
      createdUnix: row.created_unix,
      updatedUnix: row.updated_unix,
    }
  }
}
