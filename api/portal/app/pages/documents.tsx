import { api, must } from '../api.ts'
import { useLoad } from '../load.ts'
import { go, href } from '../router.ts'
import { t } from '../texts/index.ts'
import { Badge, Button, Card, Copy, Empty, Name, Page, Trouble, useOnce, Waiting } from '../ui/basics.tsx'
import { ListSearch, NoneFound, searchedFor } from '../ui/list-search.tsx'
import { offsetOf, Pager, pageSize, Table } from '../ui/table.tsx'
import { When } from '../ui/when.tsx'
import { usersOf } from './document-users.ts'
import { DocumentUsersText as Users } from './document-users-text.tsx'

/** Beyond that a person searches. */
const fewDocuments = 10

const blank = `<?xml version="1.0" encoding="UTF-8"?>
<Response>
  <Say>Hello.</Say>
</Response>
`

export default function Documents() {
  const once = useOnce()
  const search = searchedFor()
  const { data, error, reload } = useLoad(`documents ${offsetOf()} ${search}`, async () => {
    const [page, numbers, config] = await Promise.all([
      must(
        api.GET('/documents/', {
          params: { query: { limit: pageSize, offset: offsetOf(), ...(search === '' ? {} : { search }) } },
        }),
      ),
      must(api.GET('/numbers/', {})),
      must(api.GET('/account/webhooks', {})),
    ])
    return { ...page, numbers, defaults: config.endpoints }
  })
  const create = () =>
    once(async () => {
      const made = await must(api.POST('/documents/', { body: { name: t('newDocument'), body: blank } }))
      go('documents', made.uuid)
    })
  return (
    <Page
      title={t('documents')}
      lead={t('documentsLead')}
      actions={
        <Button kind="main" glyph="plus" onClick={create}>
          {t('newDocument')}
        </Button>
      }
    >
      <Trouble error={error} retry={reload} />
      {data === undefined ? (
        error === undefined && <Waiting />
      ) : (
        <Card>
          {(data.total > fewDocuments || search !== '') && <ListSearch label={t('searchDocuments')} />}
          {data.documents.length === 0 && search !== '' ? (
            <NoneFound>{t('noDocumentsFit')}</NoneFound>
          ) : data.documents.length === 0 ? (
            <Empty
              action={
                <Button glyph="plus" onClick={create}>
                  {t('newDocument')}
                </Button>
              }
            >
              {t('noDocuments')}
            </Empty>
          ) : (
            <Table
              caption={t('documents')}
              rows={data.documents}
              keyOf={document => document.uuid}
              columns={[
                {
                  head: t('name'),
                  class: 'grow',
                  cell: document => (
                    <a class="row-way" href={href('documents', document.uuid)}>
                      <Name text={document.name} />
                    </a>
                  ),
                },
                {
                  head: t('problems'),
                  cell: document =>
                    document.problems.length === 0 ? (
                      <Badge tone="good">{t('none')}</Badge>
                    ) : (
                      <Badge tone="warn">{document.problems.length}</Badge>
                    ),
                },
                {
                  head: t('usedBy'),
                  class: 'words',
                  cell: document => <Users of={usersOf(document.url, data.numbers, data.defaults)} />,
                },
                {
                  head: t('url'),
                  cell: document => (
                    <span class="with-copy">
                      <code class="cut">{document.url}</code>
                      <Copy text={document.url} label={document.name} />
                    </span>
                  ),
                },
                { head: t('changed'), class: 'brief', cell: document => <When iso={document.updated_at} /> },
              ]}
            />
          )}
          <Pager total={data.total} />
        </Card>
      )}
    </Page>
  )
}
