import { useRef, useState } from 'preact/hooks'
import { api, fetchBytes, must } from '../api.ts'
import { bytes, shortLength } from '../format.ts'
import { useLoad } from '../load.ts'
import { faultOf } from '../refused.ts'
import { href } from '../router.ts'
import { t } from '../texts/index.ts'
import { AudioPlayer } from '../ui/audio.tsx'
import {
  attempt,
  Badge,
  Button,
  Card,
  Copy,
  Empty,
  Page,
  Question,
  Sure,
  Trouble,
  tell,
  Waiting,
} from '../ui/basics.tsx'
import { offsetOf, Pager, pageSize, Table } from '../ui/table.tsx'
import { When } from '../ui/when.tsx'

const longestSlug = 64

/** What of a file's name a slug can have; it may be nothing. */
const slugOf = (name: string): string =>
  name
    .replace(/\.[^.]*$/, '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longestSlug)
    .replace(/^-+|-+$/g, '')

/** The slug of a file is no other's of its choice; one whose name gives none takes the place of no `stored` one. */
function freeSlug(name: string, chosen: ReadonlySet<string>, stored: ReadonlySet<string>): string {
  const own = slugOf(name)
  const isTaken = (slug: string) => chosen.has(slug) || (own === '' && stored.has(slug))
  const plain = own || 'audio'
  let slug = plain
  for (let next = 2; isTaken(slug); next++) slug = `${plain.slice(0, longestSlug - `-${next}`.length)}-${next}`
  return slug
}

async function bytesOf(file: File): Promise<ArrayBuffer> {
  try {
    return await file.arrayBuffer()
  } catch {
    // A folder, or gone since it was chosen.
    throw new Error(t('fileNotRead', { name: file.name }))
  }
}

/** A file that was chosen, and the slug it is to have. */
interface Chosen {
  readonly slug: string
  readonly file: File
}

/** False: a condition of `headers` does not hold. */
async function put({ slug, file }: Chosen, headers: Readonly<Record<string, string>> = {}): Promise<boolean> {
  const answer = await fetchBytes(`/assets/${slug}`, {
    method: 'PUT',
    body: await bytesOf(file),
    headers: { 'content-type': 'application/octet-stream', ...headers },
  })
  if (answer.status === 412) return false
  if (!answer.ok) throw faultOf(await answer.json(), file.name)
  return true
}

export default function Assets() {
  const { data, error, reload } = useLoad(`assets ${offsetOf()}`, async () => {
    const [page, documents] = await Promise.all([
      must(api.GET('/assets/', { params: { query: { limit: pageSize, offset: offsetOf() } } })),
      must(api.GET('/documents/', { params: { query: { limit: 200 } } })),
    ])
    return { ...page, documents: documents.documents }
  })
  const [isOver, over] = useState(false)
  const [heard, hear] = useState('')
  const picker = useRef<HTMLInputElement>(null)
  /** Files whose slugs are stored already: it is asked before they replace anything. */
  const [taken, ask] = useState<readonly Chosen[]>([])
  const store = async (files: readonly File[]) => {
    const stored = new Set(data?.assets.map(asset => asset.slug))
    const chosen = new Set<string>()
    const kept: Chosen[] = []
    try {
      for (const file of files) {
        const slug = freeSlug(file.name, chosen, stored)
        chosen.add(slug)
        if (!(await put({ slug, file }, { 'if-none-match': '*' }))) kept.push({ slug, file })
      }
    } finally {
      ask(kept)
    }
    return files.length > kept.length
  }
  const upload = async (list: FileList | null | undefined) => {
    const files = [...(list ?? [])]
    // The same file may be chosen again, once it was mended. The list goes with it.
    if (picker.current) picker.current.value = ''
    if (files.length === 0) return
    let isAnyStored = false
    const isDone = await attempt(async () => {
      isAnyStored = await store(files)
    })
    if (isDone && isAnyStored) tell(t('uploaded'))
    reload()
  }
  const replace = async () => {
    for (const each of taken) await put(each)
    reload()
  }
  const usedIn = (slug: string) =>
    (data?.documents ?? []).filter(
      document => document.body.includes(`asset="${slug}"`) || document.body.includes(`asset='${slug}'`),
    )
  return (
    <Page title={t('assets')} lead={t('assetsLead')}>
      <Trouble error={error} retry={reload} />
      {taken.length > 0 && (
        <Question
          label={t('replace')}
          question={t('replaceSure', { name: taken.map(each => each.slug).join(', ') })}
          act={replace}
          close={() => ask([])}
        />
      )}
      <section
        class={`drop ${isOver ? 'over' : ''}`}
        aria-label={t('upload')}
        onDragOver={event => {
          event.preventDefault()
          over(true)
        }}
        onDragLeave={() => over(false)}
        onDrop={event => {
          event.preventDefault()
          over(false)
          upload(event.dataTransfer?.files)
        }}
      >
        <p>{t('dropHere')}</p>
        <input
          ref={picker}
          class="hidden"
          type="file"
          accept=".wav,.mp3,.ogg,.opus,audio/*"
          multiple
          tabIndex={-1}
          aria-label={t('chooseFile')}
          onChange={event => upload(event.currentTarget.files)}
        />
        <Button glyph="plus" onClick={() => picker.current?.click()}>
          {t('chooseFile')}
        </Button>
      </section>
      {data === undefined ? (
        error === undefined && <Waiting />
      ) : (
        <Card>
          {data.assets.length === 0 ? (
            <Empty>{t('noAssets')}</Empty>
          ) : (
            <Table
              caption={t('assets')}
              rows={data.assets}
              keyOf={asset => asset.slug}
              columns={[
                {
                  head: t('slug'),
                  class: 'words',
                  cell: asset => (
                    <span class="with-copy">
                      <code>{asset.slug}</code>
                      <Copy text={`<Play asset="${asset.slug}"/>`} label={asset.slug} />
                    </span>
                  ),
                },
                {
                  head: t('sound'),
                  class: 'grow',
                  cell: asset =>
                    heard === asset.slug ? (
                      <AudioPlayer
                        name={asset.slug}
                        load={async () => {
                          const answer = await fetchBytes(`/assets/${encodeURIComponent(asset.slug)}`)
                          if (!answer.ok) throw new Error(t('gone'))
                          return answer.arrayBuffer()
                        }}
                      />
                    ) : (
                      <Button glyph="play" onClick={() => hear(asset.slug)}>
                        {t('listen')} · {shortLength(asset.duration_seconds)}
                      </Button>
                    ),
                },
                { head: t('format'), cell: asset => <Badge tone="calm">{asset.media_format}</Badge> },
                { head: t('size'), class: 'figure', cell: asset => bytes(asset.size_bytes) },
                {
                  head: t('usedIn'),
                  class: 'words',
                  cell: asset => {
                    const documents = usedIn(asset.slug)
                    return (
                      <span>
                        {documents.length === 0 && '–'}
                        {documents.map((document, place) => (
                          <>
                            {place > 0 && ', '}
                            <a key={document.uuid} href={href('documents', document.uuid)}>
                              {document.name}
                            </a>
                          </>
                        ))}
                      </span>
                    )
                  },
                },
                { head: t('when'), class: 'brief', cell: asset => <When iso={asset.created_at} /> },
                {
                  head: '',
                  cell: asset => (
                    <Sure
                      label={t('delete')}
                      question={t('deleteSure', { name: asset.slug })}
                      act={async () => {
                        await must(api.DELETE('/assets/{slug}', { params: { path: { slug: asset.slug } } }))
                        reload()
                      }}
                    />
                  ),
                },
              ]}
            />
          )}
          <Pager total={data.total} />
        </Card>
      )}
    </Page>
  )
}
